import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { BuildContext } from './build-context';
import { assignments, type Instruction, parseDockerfile, type RunOptions, runOptions, type Stage } from './dockerfile';

/** An image as a folder: what a container of it would have besides its base image. */
export interface BuiltImage {
  /** Stands for `/`. */
  root: string;
  options: RunOptions;
}

/** Instructions that say something about the image but change no file. */
const WITHOUT_FILES = new Set(['ARG', 'LABEL', 'USER', 'EXPOSE', 'STOPSIGNAL', 'HEALTHCHECK', 'CMD']);

/**
 * Performs the steps of Dockerfiles in folders, without an engine: every stage is a folder that stands for its root.
 * Like an engine it builds a stage once, however many Dockerfiles have it. RUN gets the tools of this machine.
 */
export class ImageBuilder {
  private readonly built: { steps: string; root: string }[] = [];

  constructor(
    private readonly context: BuildContext,
    private readonly workspace: string,
  ) {}

  build(dockerfile: string): BuiltImage {
    const stages = parseDockerfile(readFileSync(join(this.context.root, dockerfile), 'utf8'));
    const roots = new Map<string, string>();
    for (const stage of stages) {
      const root = this.buildStage(stage, roots);
      roots.set(stage.name ?? '', root);
    }
    const last = stages.at(-1);
    if (last === undefined) throw new Error(`${dockerfile} has no stage.`);
    return { root: roots.get(last.name ?? '') ?? '', options: runOptions(last) };
  }

  private buildStage(stage: Stage, roots: ReadonlyMap<string, string>): string {
    const steps = JSON.stringify([stage.base, stage.instructions, [...roots]]);
    const known = this.built.find((one) => one.steps === steps);
    if (known !== undefined) return known.root;
    const root = join(this.workspace, `stage-${this.built.length}`);
    let workingDirectory = '/';
    let environment: Record<string, string> = {};
    mkdirSync(root);
    for (const { name, rest } of stage.instructions) {
      const here = join(root, workingDirectory);
      if (name === 'WORKDIR') mkdirSync(join(root, (workingDirectory = rest)), { recursive: true });
      else if (name === 'ENV') environment = { ...environment, ...assignments(rest) };
      else if (name === 'COPY') this.copy(rest, here, roots);
      else if (name === 'RUN') run(rest, here, environment);
      else if (!WITHOUT_FILES.has(name)) throw new Error(`The smoke test cannot perform ${name}.`);
    }
    this.built.push({ steps, root });
    return root;
  }

  private copy(rest: string, here: string, roots: ReadonlyMap<string, string>): void {
    const words = rest.split(/\s+/);
    const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined;
    const target = words.pop() ?? '';
    for (const source of words) {
      if (from === undefined)
        this.copyFromContext(source, join(here, target), words.length > 1 || target.endsWith('/'));
      else {
        const root = roots.get(from);
        if (root === undefined) throw new Error(`COPY --from=${from}: there is no such stage before this one.`);
        cpSync(join(root, source), join(here, target), { recursive: true, verbatimSymlinks: true });
      }
    }
  }

  private copyFromContext(source: string, target: string, intoFolder: boolean): void {
    const isFolder = statSync(join(this.context.root, source), { throwIfNoEntry: false })?.isDirectory() === true;
    for (const file of this.context.filesUnder(source)) {
      const place = isFolder
        ? join(target, file.slice(source.length))
        : intoFolder
          ? join(target, basename(file))
          : target;
      mkdirSync(dirname(place), { recursive: true });
      cpSync(join(this.context.root, file), place);
    }
  }
}

/** Runs as the engine would, in the shell; what `npm run` tells its own children about this checkout is kept away. */
function run(command: Instruction['rest'], cwd: string, environment: Record<string, string>): void {
  const inherited = Object.entries(process.env).filter(
    ([name]) =>
      !name.startsWith('npm_') || /^npm_config_(registry|cache|userconfig|cafile|(https?_)?proxy|noproxy)$/.test(name),
  );
  const { status } = spawnSync('sh', ['-c', command], {
    cwd,
    env: { ...Object.fromEntries(inherited), ...environment },
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new Error(`RUN ${command}: ended with ${String(status)}.`);
}
