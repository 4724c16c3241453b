import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { UNISWAP_BUILDS } from '@keelson/contracts'
import { consensusCommand } from '../commands/consensus/consensus.ts'
import { executionCommand } from '../commands/execution/execution.ts'
import { HEALTH_PORTS } from '../healthcheck/find-target.ts'
import { ROOT, readCompose } from './compose.test-support.ts'

const text = (name: string) => readFileSync(join(ROOT, name), 'utf8')
const dockerfile = text('Dockerfile')
const instruction = (name: string) => new RegExp(`^${name} (.*)$`, 'm').exec(dockerfile)?.[1] ?? ''

describe('Dockerfile', () => {
  it('exposes the default ports of the roles, and neither the engine API nor an admin port', () => {
    const { httpPort, wsPort, enginePort } = executionCommand.options
    const { rpcPort, p2pPort } = consensusCommand.options
    const exposed = new Set(
      instruction('EXPOSE')
        .split(' ')
        .map((port) => Number(port.split('/')[0])),
    )
    const expected = [httpPort, wsPort, rpcPort, p2pPort].map((option) => option.default as number)
    assert.deepEqual(exposed, new Set([...expected, HEALTH_PORTS.execution, HEALTH_PORTS.consensus].sort((a, b) => Number(a) - Number(b))))
    assert.ok(!exposed.has(enginePort.default as number))
  })

  it('its base is pinned to a Node.js that the program accepts, and compose.yaml has the same one', async () => {
    const base = /^ARG NODE_IMAGE=(\S+)$/m.exec(dockerfile)?.[1] ?? ''
    const [, version] = /node:(\d+\.\d+\.\d+)-bookworm-slim$/.exec(base) ?? []
    const least = (JSON.parse(text('package.json')) as { engines: { node: string } }).engines.node.replace('>=', '')
    assert.ok(version !== undefined && version.localeCompare(least, undefined, { numeric: true }) >= 0, base)
    const { services } = await readCompose('compose.yaml', {})
    assert.equal(services.setup?.build?.args.NODE_IMAGE, base)
  })

  it('the role is process 1 and not root: no shell and no npm passes its signals on', () => {
    assert.equal(instruction('ENTRYPOINT'), '["node", "--enable-source-maps", "/app/dist/keelson.js"]')
    assert.match(instruction('USER'), /^[1-9]\d*:[1-9]\d*$/)
  })

  it('builds the pages in the image, whose compiler options extend a file of the project', () => {
    const file = 'packages/web/src/client/tsconfig.json'
    const { extends: parent } = JSON.parse(text(file)) as { extends: string }
    const sent = text('.dockerignore').split('\n')
    assert.ok(sent.includes(`!${relative(ROOT, join(ROOT, dirname(file), parent))}`))
  })

  it('what a new development network reads is copied into the image', async () => {
    const script = join(ROOT, 'scripts', 'container', 'assemble.mjs')
    const { PACKAGE_FILES } = (await import(script)) as { PACKAGE_FILES: readonly string[] }
    assert.deepEqual(
      Object.values(UNISWAP_BUILDS).filter((file) => !PACKAGE_FILES.includes(file)),
      [],
    )
  })

  it('the packages outside the bundle come with everything they need', async () => {
    const script = join(ROOT, 'scripts', 'container', 'package-closure.mjs')
    const { packageClosure } = (await import(script)) as { packageClosure(names: readonly string[], lock: unknown): string[] }
    const lock = {
      packages: {
        '': {},
        'node_modules/a': { dependencies: { b: '1', c: '1' }, optionalDependencies: { d: '1' } },
        'node_modules/a/node_modules/b': { dependencies: { c: '2' } },
        'node_modules/a/node_modules/b/node_modules/c': {},
        'node_modules/b': { dependencies: { unused: '1' } },
        'node_modules/c': {},
        'node_modules/d': {},
        'node_modules/unused': {},
      },
    }
    assert.deepEqual(packageClosure(['a', 'missing'], lock), [
      'node_modules/a',
      'node_modules/a/node_modules/b',
      'node_modules/a/node_modules/b/node_modules/c',
      'node_modules/c',
      'node_modules/d',
    ])
  })

  it('the builder is sent nothing but what the image is built from', () => {
    const lines = text('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
    assert.equal(lines[0], '*')
    const sent = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
    assert.deepEqual(sent, [
      '.npmrc',
      'LICENSE',
      'config/l1-chains',
      'config/networks',
      'config/options.schema.json',
      'config/roles',
      'package.json',
      'package-lock.json',
      'packages',
      'tsconfig.json',
      'scripts',
    ])
    for (const path of sent) assert.ok(existsSync(join(ROOT, path)), path)
  })
})
