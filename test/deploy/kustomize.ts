import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT, environmentFile, textOf, yamlOf } from './checkout';
import { applyPatch, type PatchOperation } from './json-patch';

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  spec?: unknown;
  data?: Record<string, string>;
}

interface Kustomization {
  apiVersion: 'kustomize.config.k8s.io/v1beta1';
  kind: 'Kustomization';
  namespace?: string;
  resources: string[];
  images?: { name: string; newName: string; newTag: string }[];
  configMapGenerator?: {
    name: string;
    behavior?: 'create' | 'merge';
    envs: string[];
    options?: { annotations?: Record<string, string> };
  }[];
  patches?: { path: string; target: { kind: string; name: string } }[];
}

const MEMBERS = ['apiVersion', 'kind', 'namespace', 'resources', 'images', 'configMapGenerator', 'patches'];

/**
 * What `kubectl kustomize` makes of a folder, for the part of its language that ours use; generated names keep no hash.
 * @throws Error for a member it does not know, a file that is missing, and a patch or image that fits nothing
 */
export function kustomize(folder: string): Manifest[] {
  const kustomization = yamlOf(join(folder, 'kustomization.yaml')) as Kustomization;
  const unknown = Object.keys(kustomization).filter((member) => !MEMBERS.includes(member));
  if (unknown.length > 0) throw new Error(`${folder}: unknown ${unknown.join(', ')}`);
  const manifests = kustomization.resources.flatMap((resource) => resourcesAt(join(folder, resource)));
  generateConfigMaps(folder, kustomization, manifests);
  for (const { path, target } of kustomization.patches ?? []) {
    const patched = find(manifests, target.kind, target.name);
    if (patched === undefined) throw new Error(`${path}: there is no ${target.kind} ${target.name}`);
    applyPatch(patched, yamlOf(join(folder, path)) as PatchOperation[]);
  }
  for (const image of kustomization.images ?? []) {
    const containers = manifests.flatMap(containersOf).filter((container) => container.image === image.name);
    if (containers.length === 0) throw new Error(`${folder}: no container has the image ${image.name}`);
    for (const container of containers) container.image = `${image.newName}:${image.newTag}`;
  }
  for (const { kind, metadata } of manifests) {
    if (kustomization.namespace !== undefined && kind !== 'Namespace') metadata.namespace = kustomization.namespace;
  }
  return manifests;
}

function resourcesAt(path: string): Manifest[] {
  const place = join(CHECKOUT, path);
  if (!existsSync(place)) throw new Error(`${path} does not exist`);
  return statSync(place).isDirectory() ? kustomize(path) : [yamlOf(path) as Manifest];
}

function generateConfigMaps(folder: string, { configMapGenerator = [] }: Kustomization, manifests: Manifest[]): void {
  for (const { name, behavior = 'create', envs, options } of configMapGenerator) {
    const data = Object.assign({}, ...envs.map((file) => environmentFile(textOf(join(folder, file))))) as object;
    const known = find(manifests, 'ConfigMap', name);
    if ((known !== undefined) !== (behavior === 'merge')) throw new Error(`${folder}: cannot ${behavior} ${name}`);
    if (known === undefined)
      manifests.push({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...options }, data: { ...data } });
    else known.data = { ...known.data, ...data };
  }
}

export function find(manifests: readonly Manifest[], kind: string, name: string): Manifest | undefined {
  return manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
}

export interface Container {
  name: string;
  image: string;
  command?: string[];
  ports?: { name: string; containerPort: number }[];
  env: { name: string; value: string }[];
  envFrom: { configMapRef: { name: string } }[];
  resources: { limits: { memory: string } };
  securityContext: unknown;
  volumeMounts: { name: string; mountPath: string; readOnly: boolean }[];
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
}

interface Probe {
  httpGet: { path: string; port: string };
  periodSeconds: number;
  failureThreshold: number;
}

export interface PodTemplate {
  metadata: { labels: Record<string, string> };
  spec: {
    serviceAccountName: string;
    automountServiceAccountToken: boolean;
    terminationGracePeriodSeconds?: number;
    securityContext: unknown;
    topologySpreadConstraints?: { labelSelector: { matchLabels: Record<string, string> } }[];
    containers: Container[];
    volumes: { name: string; secret: { secretName: string } }[];
  };
}

/** The pods a manifest asks for, where it does. */
export function podTemplateOf({ spec }: Manifest): PodTemplate | undefined {
  return (spec as { template?: PodTemplate } | undefined)?.template;
}

function containersOf(manifest: Manifest): Container[] {
  return podTemplateOf(manifest)?.spec.containers ?? [];
}
