/** Commands that this program prints act on the network that they were printed for, pasted into a folder that holds two networks. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { asCalled, DEFAULT_DEVNET_FOLDER, type NamedNetwork, npmScript, parseFlags, resolveOptions } from '@keelson/runtime'
import { findSubcommand, isCommandGroup } from '../command.ts'
import { COMMANDS } from '../commands/all-commands.ts'
import { networkOf } from './network-of.ts'

const FIRST = { devnet: DEFAULT_DEVNET_FOLDER }
const SECOND = { devnet: '.keelson/it is two' }
const PRINTED = [
  ...['deposit', 'withdraw', 'status', 'prove', 'finalize', 'force'].map((name) => `bridge ${name}`),
  ...['status', 'logs', 'fund', 'time', 'snapshot', 'restore', 'stop'].map((name) => `devnet ${name}`),
  ...['status', 'register', 'stake', 'unstake', 'withdraw', 'claim', 'rejoin', 'fund-pool'].map((name) => `validator ${name}`),
  ...['devnet', 'status', 'doctor'],
]

/** The words that a shell gives to the program. */
function wordsOf(line: string): readonly string[] {
  return spawnSync('sh', ['-c', `for word in "$@"; do :; done; printf '%s\\n' ${line}`], { encoding: 'utf8' })
    .stdout.trimEnd()
    .split('\n')
}

/** The value of the option that names the network, as the command reads it. */
async function networkIn(line: string): Promise<string> {
  const words = wordsOf(line)
  const [name = '', ...rest] = words.slice(words.indexOf('keelson') + 1)
  const loaded = await (COMMANDS[name] as NonNullable<(typeof COMMANDS)[string]>)()
  const found = isCommandGroup(loaded) ? await findSubcommand(loaded, rest) : { command: loaded, rest }
  assert.ok('command' in found, line)
  const { flags } = parseFlags(found.rest, found.command.options)
  const { options } = found.command
  const key = 'network' in flags ? 'network' : 'devnet' in options ? 'devnet' : 'dataDir'
  const { values } = resolveOptions({ [key]: options[key] } as typeof options, { flags: { ...flags }, env: {} } as never)
  const value = values[key]
  return value === null ? DEFAULT_DEVNET_FOLDER : String(value)
}

describe('commands that the program prints', function () {
  this.timeout(180_000)
  for (const command of PRINTED) {
    it(`name the network: ${command}`, async () => {
      for (const network of [FIRST, SECOND])
        assert.equal(resolve(await networkIn(asCalled(command, network))), resolve(network.devnet), asCalled(command, network))
    })
  }

  it('name a network that is no development network, and ask for its nodes, whose URLs may hold keys', async () => {
    const line = asCalled('bridge prove', { network: 'op-sepolia' })
    assert.match(line, /keelson bridge prove --network op-sepolia --l1\.rpc L1_URL --l2\.rpc L2_URL$/)
  })

  it('are scripts of the package for the network that npm start made', () => {
    assert.deepEqual(
      (['start', 'status', 'stop'] as const).map((script) => npmScript(script, DEFAULT_DEVNET_FOLDER)),
      ['npm start', 'npm run status', 'npm run stop'],
    )
    assert.equal(npmScript('stop', SECOND.devnet), "npm run stop -- --data-dir '.keelson/it is two'")
  })

  const rows: readonly (readonly [command: string, values: object, env: NodeJS.ProcessEnv, expected: NamedNetwork | null])[] = [
    ['bridge prove', { devnet: 'two', network: null }, {}, { devnet: 'two' }],
    ['bridge prove', { devnet: DEFAULT_DEVNET_FOLDER, network: 'op-sepolia' }, {}, { network: 'op-sepolia' }],
    ['devnet time', { dataDir: 'two' }, {}, { devnet: 'two' }],
    ['validator status', { devnet: 'two' }, {}, { devnet: 'two' }],
    ['execution', { network: '/data/two/network' }, { KEELSON_OF_DEVNET: '/data/two' }, { devnet: '/data/two' }],
    ['execution', { network: 'op-sepolia' }, {}, null],
  ]
  it('belong to the network that the command was called for', () => {
    for (const [command, values, env, expected] of rows)
      assert.deepEqual(networkOf({ name: command }, values as Record<string, unknown>, env), expected, command)
  })

  it('are built in one place', () => {
    const root = join(import.meta.dirname, '..', '..', '..')
    const raw =
      /npx keelson (bridge|devnet|status|doctor|validator (status|stake|unstake|withdraw|claim|rejoin|fund-pool))\b|npm run (stop|status)\b/
    /** Their templates name the network that was just created with options of their own. */
    const own = ['node/src/commands/network/describe-created.ts', 'runtime/src/as-called.ts']
    const found = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => /^\w[\w-]*\/src\/.*\.tsx?$/.test(file) && !/\.test(-support)?\./.test(file) && !own.includes(file))
      .filter((file) => raw.test(readFileSync(join(root, file), 'utf8')))
    assert.deepEqual(found, [])
  })
})
