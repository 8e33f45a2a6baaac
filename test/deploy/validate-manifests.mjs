// Reads manifests as JSON from stdin and prints what is wrong with their values, one fault a line. A program of its own,
// because some of the models are ES modules, which Jest cannot load.
import { ExternalSecret } from '@kubernetes-models/external-secrets/external-secrets.io/v1beta1';
import { PrometheusRule, ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Job } from 'kubernetes-models/batch/v1';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Namespace, Service, ServiceAccount } from 'kubernetes-models/v1';
import { text } from 'node:stream/consumers';

const MODELS = {
  ConfigMap,
  Deployment,
  ExternalSecret,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  Namespace,
  NetworkPolicy,
  PodDisruptionBudget,
  PrometheusRule,
  Service,
  ServiceAccount,
  ServiceMonitor,
};

for (const manifest of JSON.parse(await text(process.stdin))) {
  const { kind, metadata } = manifest;
  try {
    new MODELS[kind](manifest).validate();
  } catch (error) {
    console.log(`${kind} ${metadata?.name}: ${error.message}`);
  }
}
