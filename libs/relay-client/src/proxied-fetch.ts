import { fetch as fetchThrough, ProxyAgent } from 'undici';

const agents = new Map<string, ProxyAgent>();

/** As `fetch`, through a proxy. A file of its own, loaded only where there is a proxy: it costs every start that has it. */
export async function proxiedFetch(proxyUrl: string, url: string, init: RequestInit): Promise<Response> {
  const agent = agents.get(proxyUrl) ?? new ProxyAgent(proxyUrl);
  agents.set(proxyUrl, agent);
  // The same interfaces, declared twice: Node's types and undici's.
  const options = { ...init, dispatcher: agent } as unknown as Parameters<typeof fetchThrough>[1];
  return await fetchThrough(url, options);
}
