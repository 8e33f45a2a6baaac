import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChildProgram, freePort, testSettings, useRelay } from '@agentrelay/testing';
import { startRelayProcess } from '../process/relay-process';

const PROGRAM = join(__dirname, '../../dist/apps/relay/src/main.js');
const relay = useRelay();
const folder = mkdtempSync(join(tmpdir(), 'agentrelay-loading-'));
afterAll(() => rmSync(folder, { recursive: true }));

function extension(file: string, source: string): string {
  const path = join(folder, file);
  writeFileSync(path, source);
  return path;
}

/** What a relay prints that does not start with these extensions. */
async function refusal(extensions: string): Promise<string> {
  const program = ChildProgram.start(PROGRAM, { ...testSettings(relay.database.url), RELAY_EXTENSIONS: extensions });
  expect(await program.exit()).toBe(1);
  return program.printed;
}

const MODULE = `const { Module } = require('@nestjs/common');
function module(providers) { class Some {} Module({ providers })(Some); return Some; }
`;

describe('an extension that cannot be used stops the start', () => {
  it.each([
    ['./nowhere.js', /there is nothing to load at .*nowhere\.js/],
    ['no-such-package', /no package of that name is installed beside the relay/],
  ])('as it is not there: %s', async (name, reason) => {
    const printed = await refusal(name);
    expect(printed).toContain(`The relay cannot start with the extension ${name} of RELAY_EXTENSIONS`);
    expect(printed).toMatch(reason);
  });

  it.each([
    ['throws.js', 'throw new Error("no licence")', /no licence/],
    ['nothing.js', 'exports.answer = 42', /exports no Nest module/],
    ['two.js', `${MODULE} exports.One = module([]); exports.Two = module([])`, /exports several Nest modules/],
    ['needs.js', `require('left-out')`, /Cannot find module 'left-out'/],
  ])('as %s is bad, whatever good ones stand beside it', async (file, source, reason) => {
    const good = extension('good.js', `${MODULE} exports.Good = module([])`);
    expect(await refusal(`${good},${extension(file, source)}`)).toMatch(reason);
  });

  it('as it registers a name that is taken', async () => {
    const clash = extension(
      'clash.js',
      `${MODULE} const { RpcMethod, MethodParams } = require('@agentrelay/extension');
       class Clash {}
       RpcMethod({ name: 'tasks/get', summary: 'x', params: MethodParams, writes: false })(Clash);
       exports.Extension = module([Clash]);`,
    );
    expect(await refusal(clash)).toContain('Two classes register the method tasks/get');
  });
});

describe('an extension', () => {
  it('is found as a package in the working directory, and may be an ES module', async () => {
    const home = join(folder, 'node_modules', 'team-rules');
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'package.json'), '{ "name": "team-rules", "type": "module", "exports": "./index.js" }');
    writeFileSync(
      join(home, 'index.js'),
      `export default { module: class TeamRules { onModuleInit() { process.stdout.write('team rules hold\\n'); } } };`,
    );
    const port = String(await freePort());
    const settings = { ...testSettings(relay.database.url), PORT: port, RELAY_EXTENSIONS: 'team-rules' };
    const program = await startRelayProcess(settings, `http://127.0.0.1:${port}`, { cwd: folder });
    expect(program.printed).toBe('team rules hold\n');
    program.kill('SIGTERM');
    expect(await program.exit()).toBe(0);
  });
});
