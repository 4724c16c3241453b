import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSystemClock, loadJwtSecret, type OptionSet, renderOptionHelp, resolveOptions, verifyJwt } from '@keelson/runtime'
import { assertArguments, type Command } from '../command.ts'
import { beaconCommand } from './beacon.ts'
import { bridgeServeCommand } from './bridge/serve.ts'
import { conductorCommand } from './conductor/run.ts'
import { configCommand } from './config.ts'
import { consensusCommand } from './consensus/consensus.ts'
import { dbCommand } from './db/db.ts'
import { debugCommand } from './debug/debug.ts'
import { devnetCommand } from './devnet/start.ts'
import { doctorCommand } from './doctor.ts'
import { executionCommand } from './execution/execution.ts'
import { indexCommand } from './index-chain/index-chain.ts'
import { jwtCommand } from './jwt.ts'
import { networkCreateCommand } from './network/create.ts'
import { platformCommand } from './platform/platform.ts'
import { rpcKeyCommand } from './rpc-key.ts'
import { rpcRouterCommand } from './rpc-router.ts'
import { statusCommand } from './status.ts'
import { batcherCommand } from './submitters/batcher.ts'
import { proposerCommand } from './submitters/proposer.ts'
import { webCommand } from './web/web.ts'

const COMMANDS = [
  devnetCommand,
  executionCommand,
  indexCommand,
  consensusCommand,
  batcherCommand,
  proposerCommand,
  beaconCommand,
  bridgeServeCommand,
  conductorCommand,
  configCommand,
  debugCommand,
  doctorCommand,
  jwtCommand,
  networkCreateCommand,
  platformCommand,
  rpcKeyCommand,
  rpcRouterCommand,
  statusCommand,
  webCommand,
].map((command) => command as unknown as Command<OptionSet>)

describe('commands', () => {
  for (const command of COMMANDS) {
    it(`${command.name}: every option has one flag, one variable and a sentence`, () => {
      const definitions = Object.values(command.options)
      assert.equal(new Set(definitions.map(({ key }) => key)).size, definitions.length)
      for (const field of ['flag', 'env'] as const) {
        const names = definitions.flatMap(({ alias, ...definition }) => [definition, alias].flatMap((name) => name?.[field] ?? []))
        assert.equal(new Set(names).size, names.length, `${field}: ${names.join(' ')}`)
      }
      for (const { flag, description } of definitions) assert.match(description, /^[A-Za-z].*[.;)]$/, `--${flag}: ${description}`)
    })

    it(`${command.name}: the usage line names what must be given, and help begins with it`, () => {
      const required = Object.values(command.options).filter((definition) => definition.default === undefined && !definition.optional)
      const help = renderOptionHelp(command.options).split('\n')
      required.forEach(({ flag, secret }, i) => {
        if (!secret) assert.ok(command.usage.includes(`--${flag} `), `--${flag} in "${command.usage}"`)
        assert.ok(
          help.slice(0, 2 * required.length).some((line) => line.startsWith(`  --${flag} `)),
          `${flag} among the first ${i + 1}`,
        )
      })
    })
  }

  it('db: a word that is no task is named before its options are missed', () => {
    const refused = (...words: string[]) => {
      let message = ''
      assert.throws(
        () => assertArguments(dbCommand, words),
        (error: Error) => {
          message = error.message
          return true
        },
      )
      return message
    }
    assert.match(refused('nonsense'), /"nonsense" is not known: npx keelson db stats\|/)
    assert.match(refused('verfiy'), /did you mean verify\?/)
    assert.match(refused('stats', 'verify'), /"verify" is one too many/)
    assert.match(refused(), /^say what to do/)
  })

  it('refuse stray words, as in --rpc.host 0.0.0.0 9545, unless they take arguments', () => {
    assert.throws(() => assertArguments(consensusCommand, ['9545']), {
      code: 'node/usage',
      message: 'unexpected argument "9545"; keelson consensus takes options only, as --name value',
    })
    assertArguments(consensusCommand, [])
    const takers = COMMANDS.filter(({ takesArguments }) => takesArguments === true).map(({ name }) => name)
    assert.deepEqual(takers, ['execution', 'config', 'debug', 'jwt', 'rpc-key'])
    assert.throws(() => assertArguments(devnetCommand, ['stop']), { code: 'node/usage', message: /an action comes before the options/ })
  })

  it('devnet: a currency symbol too long for wallets is refused, and the limit is said', () => {
    const read = (value: string) => resolveOptions(devnetCommand.options, { flags: { symbol: value }, env: {} })
    assert.throws(() => read('KEELSONKEELSON'), { message: /--symbol.*at most 11 characters, got 14/s })
    assert.equal(read('KEELSONKEEL').values.symbol, 'KEELSONKEEL')
  })

  it('debug: says that foo is unknown, before any option is missed', () => {
    const unknown = { code: 'node/usage', message: /"foo" is not known; there is npx keelson debug decode-batches --from N \[--to N\]/ }
    assert.throws(() => assertArguments(debugCommand, ['foo']), unknown)
    assert.throws(() => assertArguments(debugCommand, ['decode-batches', 'foo']), unknown)
    assert.throws(() => assertArguments(debugCommand, []), /say what to look at/)
    assertArguments(debugCommand, ['decode-batches'])
  })

  it('jwt: wants one path', async () => {
    for (const positional of [[], ['a', 'b']])
      await assert.rejects(jwtCommand.run({ token: false }, { positional, version: '0' }), {
        code: 'node/usage',
        message: /keelson jwt FILE/,
      })
  })

  it('jwt: prints a token that a port with the secret accepts, and makes no secret for it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-jwt-'))
    const file = join(folder, 'operator.hex')
    const { log } = console
    const lines: string[] = []
    console.log = (line: string) => lines.push(line)
    try {
      const print = () => jwtCommand.run({ token: true }, { positional: [file], version: '0' })
      await assert.rejects(print(), { code: 'runtime/jwt-secret', message: /there is no JWT secret at/ })
      const { secret } = await loadJwtSecret(file, { create: true })
      await print()
      assert.deepEqual(await verifyJwt(`Bearer ${lines[0]}`, secret, createSystemClock()), { ok: true })
    } finally {
      console.log = log
      await rm(folder, { recursive: true })
    }
  })
})
