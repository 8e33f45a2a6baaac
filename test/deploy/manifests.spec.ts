import { kustomize, type Manifest } from './kustomize';
import { typeFaults, valueFaults } from './typed-manifests';

const FOLDERS = ['docker/k8s/base', 'docker/k8s/overlays/production'];

describe.each(FOLDERS)('every manifest of %s', (folder) => {
  it('has only members that its kind knows', () => {
    expect(typeFaults(kustomize(folder))).toEqual([]);
  });

  it('has only values that its kind allows', () => {
    expect(valueFaults(kustomize(folder))).toEqual([]);
  });
});

describe('the checks of manifests', () => {
  const broken: Manifest = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'broken' },
    spec: { maxUnavailable: 1, selectorr: {} },
  };

  it('see a member that does not exist', () => {
    expect(typeFaults([broken])).toEqual([expect.stringMatching(/^PodDisruptionBudget broken: .*"selectorr"/)]);
  });

  it('see a value that is not allowed', () => {
    expect(valueFaults([{ ...broken, spec: { minAvailable: [] } }])).toEqual([
      expect.stringContaining('PodDisruptionBudget broken: '),
    ]);
  });
});
