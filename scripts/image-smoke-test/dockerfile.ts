/** One instruction of a Dockerfile: its name in capitals, and what follows it. */
export interface Instruction {
  name: string;
  rest: string;
}

export interface Stage {
  /** The name after AS; the last stage may have none. */
  name: string | undefined;
  /** The image it begins from. */
  base: string;
  instructions: Instruction[];
}

/** The stages of a Dockerfile, in order; comments are gone and continued lines joined. */
export function parseDockerfile(text: string): Stage[] {
  const stages: Stage[] = [];
  for (const instruction of instructionsOf(text)) {
    if (instruction.name === 'FROM') {
      const [base = '', , name] = instruction.rest.split(/\s+/);
      stages.push({ name, base, instructions: [] });
    } else {
      const stage = stages.at(-1);
      if (stage === undefined) throw new Error(`${instruction.name} stands before the first FROM.`);
      stage.instructions.push(instruction);
    }
  }
  return stages;
}

function instructionsOf(text: string): Instruction[] {
  const lines = text.split('\n').filter((line) => !/^\s*(#|$)/.test(line));
  return lines
    .join('\n')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => {
      const [, name = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line.trim()) ?? [];
      return { name: name.toUpperCase(), rest };
    });
}

/** `A=1 B="two words"` → { A: '1', B: 'two words' } */
export function assignments(rest: string): Record<string, string> {
  return Object.fromEntries(
    [...rest.matchAll(/([\w.]+)=(?:"([^"]*)"|(\S*))/g)].map(([, name = '', quoted, plain]) => [
      name,
      quoted ?? plain ?? '',
    ]),
  );
}

/** The program of a CMD or HEALTHCHECK in its exec form. @throws Error for the shell form */
export function execForm(rest: string): string[] {
  const [list] = /\[.*\]$/.exec(rest) ?? [];
  if (list === undefined) throw new Error(`This is not the exec form: ${rest}`);
  return JSON.parse(list) as string[];
}

/** What runs when a container of this stage starts. */
export interface RunOptions {
  command: string[];
  environment: Record<string, string>;
  workingDirectory: string;
  user: string | undefined;
  /** The health check's program; undefined where it is NONE or absent. */
  healthCheck: string[] | undefined;
}

export function runOptions({ instructions }: Stage): RunOptions {
  const last = (name: string): string | undefined => instructions.findLast((one) => one.name === name)?.rest;
  const healthCheck = last('HEALTHCHECK');
  return {
    command: execForm(last('CMD') ?? ''),
    environment: Object.assign(
      {},
      ...instructions.filter(({ name }) => name === 'ENV').map(({ rest }) => assignments(rest)),
    ) as Record<string, string>,
    workingDirectory: last('WORKDIR') ?? '/',
    user: last('USER'),
    healthCheck: healthCheck === undefined || healthCheck === 'NONE' ? undefined : execForm(healthCheck),
  };
}
