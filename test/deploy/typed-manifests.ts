import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import ts from 'typescript';
import type { Manifest } from './kustomize';

/** Where the type of a kind comes from. */
const MODULES: Record<string, string> = {
  ConfigMap: 'kubernetes-models/v1',
  Deployment: 'kubernetes-models/apps/v1',
  ExternalSecret: '@kubernetes-models/external-secrets/external-secrets.io/v1beta1',
  HorizontalPodAutoscaler: 'kubernetes-models/autoscaling/v2',
  Ingress: 'kubernetes-models/networking.k8s.io/v1',
  Job: 'kubernetes-models/batch/v1',
  Namespace: 'kubernetes-models/v1',
  NetworkPolicy: 'kubernetes-models/networking.k8s.io/v1',
  PodDisruptionBudget: 'kubernetes-models/policy/v1',
  PrometheusRule: '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1',
  Service: 'kubernetes-models/v1',
  ServiceAccount: 'kubernetes-models/v1',
  ServiceMonitor: '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1',
};

/** ExternalSecret is served as v1; the models know its members under the version before, which has the same ones. */
function asModelled(manifest: Manifest): Manifest {
  return manifest.kind === 'ExternalSecret' && manifest.apiVersion === 'external-secrets.io/v1'
    ? { ...manifest, apiVersion: 'external-secrets.io/v1beta1' }
    : manifest;
}

/** Members that do not exist or have the wrong type: the compiler reads each manifest as a literal of its kind. */
export function typeFaults(manifests: readonly Manifest[]): string[] {
  const file = join(__dirname, 'manifests.mts');
  const statements = manifests.map((manifest, i) => {
    const module = MODULES[manifest.kind];
    if (module === undefined) throw new Error(`No model is known for ${manifest.kind}.`);
    return `import type { I${manifest.kind} as T${i} } from '${module}'; export const m${i}: T${i} = ${JSON.stringify(asModelled(manifest))};`;
  });
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (path) => path === file || fileExists(path);
  host.getSourceFile = (path, languageVersion, ...rest) =>
    path === file
      ? ts.createSourceFile(path, statements.join('\n'), languageVersion)
      : getSourceFile(path, languageVersion, ...rest);
  const program = ts.createProgram([file], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText, file: source, start }) => {
    const line = source === undefined || start === undefined ? -1 : source.getLineAndCharacterOfPosition(start).line;
    const manifest = manifests[line];
    const subject = manifest === undefined ? '' : `${manifest.kind} ${manifest.metadata.name}: `;
    return `${subject}${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}

/** Values that Kubernetes would refuse: required members, patterns, ranges. */
export function valueFaults(manifests: readonly Manifest[]): string[] {
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(__dirname, 'validate-manifests.mjs')], {
    input: JSON.stringify(manifests.map(asModelled)),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout.split('\n').filter((line) => line !== '');
}
