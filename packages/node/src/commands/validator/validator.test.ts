import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OWN_CONTRACTS } from '@keelson/contracts'
import { type Address, bigintToBytes, keccak256Hash } from '@keelson/primitives'
import { createManualClock, parseFlags, renderOptionHelp, resolveOptions } from '@keelson/runtime'
import { addressOfPublicKey, createKeyFolder, openSlashingProtection, publicKeyOf } from '@keelson/validator'
import { assertArguments, type Command, findSubcommand, isCommandGroup } from '../../command.ts'
import { passwordOption, readPassword, type Terminal } from './password-input.ts'
import { validatorCommand } from './validator.ts'

const RAW = `0x${'00'.repeat(31)}04`
const ADDRESS = addressOfPublicKey(publicKeyOf(bigintToBytes(4n, 32))) as Address
const hashOf = (n: number) => keccak256Hash(Uint8Array.of(n))
const ANCHOR = hashOf(1)

function attestationFor(epoch: number) {
  return {
    domain: { chainId: 901n, contract: OWN_CONTRACTS.Staking },
    anchor: ANCHOR,
    attestation: { epoch, checkpointNumber: 1, checkpointHash: hashOf(2), l1OriginNumber: 1, l1OriginHash: hashOf(3) },
  }
}

describe('keelson validator keys and protection', () => {
  let folder: string
  const at = (name: string) => join(folder, name)
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-validator-'))
    await writeFile(at('password'), 'correct horse\n', { mode: 0o600 })
    await writeFile(at('next'), 'battery staple\n', { mode: 0o600 })
    await writeFile(at('raw'), `${RAW}\n`, { mode: 0o600 })
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  async function run(line: string, expectedExit = 0): Promise<string> {
    const asked = await findSubcommand(validatorCommand, line.split(' '))
    assert.ok('command' in asked)
    const found = { ...asked, rest: 'scryptN' in asked.command.options ? [...asked.rest, '--scrypt-n', '4096'] : asked.rest }
    const { flags, positional } = parseFlags(found.rest, found.command.options)
    assertArguments(found.command, positional)
    const { values } = resolveOptions(found.command.options, { env: {}, flags })
    const printed: string[] = []
    const print = console.log
    console.log = (text: string) => printed.push(text)
    try {
      assert.equal(await found.command.run(values, { positional, version: '0' }), expectedExit)
    } finally {
      console.log = print
    }
    return printed.join('\n')
  }
  const json = async (line: string) => JSON.parse(await run(`${line} --json`))

  async function sign(dataDir: string, ...epochs: readonly number[]): Promise<void> {
    const protection = await openSlashingProtection({ directory: join(dataDir, 'protection'), create: false, clock: createManualClock() })
    for (const epoch of epochs) assert.equal((await protection.admitAttestation(ADDRESS, attestationFor(epoch))).verdict, 'new')
    await protection.close()
  }

  const importHere = (dataDir: string) =>
    run(`keys import ${at('raw')} --data-dir ${dataDir} --password-file ${at('password')} --never-signed`)

  it('have one flag a name, a sentence an option, and usage lines with what must be given', async () => {
    const commands: Command[] = []
    for (const load of Object.values(validatorCommand.commands)) {
      const group = await load()
      if (isCommandGroup(group)) for (const one of Object.values(group.commands)) commands.push((await one()) as Command)
    }
    const ours = commands.filter(({ name }) => /^validator (keys|protection) /.test(name))
    assert.equal(ours.length, 10)
    for (const { name, options, usage } of ours) {
      const definitions = Object.values(options)
      for (const { flag, description } of definitions) assert.match(description, /^[A-Z].*\.$/, `${name} --${flag}`)
      const required = definitions.filter((definition) => definition.default === undefined && !definition.optional)
      for (const { flag } of required) assert.ok(usage.includes(`--${flag} `), `${name}: --${flag} in "${usage}"`)
      assert.ok(renderOptionHelp(options).includes('--data-dir'))
    }
  })

  it('a key that is made has a record, a file of its owner alone, and opens with its password', async () => {
    const { address, path } = await json(`keys new --data-dir ${at('v')} --password-file ${at('password')}`)
    assert.equal((await stat(path)).mode & 0o777, 0o600)
    const secret = await createKeyFolder(join(at('v'), 'keys')).open(address, 'correct horse')
    assert.equal(addressOfPublicKey(publicKeyOf(secret.reveal())), address)
    assert.deepEqual(await json(`protection show --data-dir ${at('v')}`), {
      chain: null,
      keys: [{ key: address, watermark: null, newestEpoch: null }],
      stop: null,
    })
    assert.equal(await run(`keys list --data-dir ${at('v')}`), `${address}  ${path}`)
  })

  it('a raw key is taken from a file, without a record unless it has never signed', async () => {
    const said = await run(`keys import ${at('raw')} --data-dir ${at('v')} --password-file ${at('password')}`)
    assert.match(said, new RegExp(`imported key ${ADDRESS}.*\n.*does not sign before .*init --new-key ${ADDRESS}`))
    assert.ok(!said.includes(RAW.slice(2)))
    await assert.rejects(run(`protection show --data-dir ${at('v')}`), { code: 'consensus/protection-missing' })
    assert.match(await run(`protection init --new-key ${ADDRESS} --data-dir ${at('v')}`), /begins here, empty/)
    assert.match(await run(`protection init --new-key ${ADDRESS} --data-dir ${at('v')}`), /there is a record of .* already; it stays/)
    await importHere(at('w'))
    assert.match(await run(`protection show --data-dir ${at('w')}`), new RegExp(`${ADDRESS}  has signed nothing here, no watermark`))
  })

  it('a file that others can read is not used, and says chmod', async () => {
    for (const name of ['raw', 'password']) {
      await chmod(at(name), 0o644)
      await assert.rejects(importHere(at('v')), { code: 'consensus/validator-key', message: /chmod 600/ })
      await chmod(at(name), 0o600)
    }
    await writeFile(at('password'), 'short', { mode: 0o600 })
    await assert.rejects(importHere(at('v')), { code: 'node/usage', message: /fewer than 8 characters/ })
  })

  it('moves with what it has signed: export, import, and nothing is signed twice', async () => {
    await importHere(at('v'))
    await sign(at('v'), 4, 5)
    const { key, protection } = await json(`keys export ${ADDRESS} --data-dir ${at('v')} --out ${at('out')}`)
    const files = `--data-dir ${at('w')} --password-file ${at('password')} --new-password-file ${at('next')} --protection ${protection}`
    assert.deepEqual(await json(`keys import ${key} ${files}`), {
      address: ADDRESS,
      path: join(at('w'), 'keys', `${ADDRESS}.json`),
      protected: true,
    })
    assert.deepEqual((await json(`protection show --data-dir ${at('w')}`)).keys, [{ key: ADDRESS, watermark: 5, newestEpoch: null }])
    await createKeyFolder(join(at('w'), 'keys')).open(ADDRESS, 'battery staple')
    await sign(at('w'), 6)
    await assert.rejects(sign(at('w'), 5))
    await assert.rejects(run(`keys export ${ADDRESS} --data-dir ${at('v')} --out ${at('out')}`), { message: /not overwritten/ })
  })

  it('the record is exported to a file or printed, and merged, with a warning about what was signed twice', async () => {
    await importHere(at('v'))
    await sign(at('v'), 4)
    await run(`protection export --data-dir ${at('v')} --out ${at('record.json')}`)
    const text = await readFile(at('record.json'), 'utf8')
    assert.equal(`${await run(`protection export --data-dir ${at('v')}`)}\n`, text)
    assert.deepEqual(await json(`protection import ${at('record.json')} --data-dir ${at('v')}`), {
      keys: [{ key: ADDRESS, watermark: 4, newestEpoch: 4 }],
      conflicts: [],
      chain: (await json(`protection show --data-dir ${at('v')}`)).chain,
    })
    assert.match(
      await run(`protection import ${at('record.json')} --data-dir ${at('w')}`),
      /sign for this chain and no other: chain 901, staking contract 0x/,
    )
    const [root] = text.match(/(?<="signing_root": ")0x[0-9a-f]{64}/) as RegExpMatchArray
    await writeFile(at('other.json'), text.replace(root, hashOf(9)))
    assert.match(
      await run(`protection import ${at('other.json')} --data-dir ${at('v')}`, 1),
      /WARNING: .* two different attestations for epoch 4/,
    )
    await writeFile(at('garbage.json'), 'garbage')
    await assert.rejects(run(`protection import ${at('garbage.json')} --data-dir ${at('v')}`), { code: 'consensus/protection-import' })
    await assert.rejects(run(`protection import ${at('none.json')} --data-dir ${at('v')}`), { message: /there is no file/ })
  })

  it('a stop is shown, and lifted by its own command', async () => {
    await importHere(at('v'))
    const protection = await openSlashingProtection({ directory: join(at('v'), 'protection'), create: false, clock: createManualClock(0) })
    await protection.stop('slashed for two attestations', ADDRESS)
    await assert.rejects(run(`protection show --data-dir ${at('v')}`), { code: 'consensus/validator-key-in-use', message: /stop it first/ })
    await protection.close()
    const stopped = await run(`protection show --data-dir ${at('v')}`)
    assert.match(stopped, new RegExp(`STOPPED since 1970-01-01T00:00:00.000Z because of ${ADDRESS}: slashed for two attestations`))
    assert.equal(await run(`protection clear-stop --data-dir ${at('v')}`), 'lifted: slashed for two attestations')
    assert.equal(await run(`protection clear-stop --data-dir ${at('v')}`), 'there was no stop on record')
  })

  it('a password is changed', async () => {
    await importHere(at('v'))
    const files = `--password-file ${at('password')} --new-password-file ${at('next')}`
    await run(`keys password ${ADDRESS} --data-dir ${at('v')} ${files}`)
    await assert.rejects(run(`keys password ${ADDRESS} --data-dir ${at('v')} ${files}`), {
      code: 'consensus/validator-key',
      message: /wrong password/,
    })
    await createKeyFolder(join(at('v'), 'keys')).open(ADDRESS, 'battery staple')
  })

  it('words that are missing or wrong are named', async () => {
    const usage = { code: 'node/usage' }
    const mistyped = '0x70997970C51812dc3A010C7d01b50e0d17dc79C9'
    await assert.rejects(run(`keys export ${mistyped} --data-dir ${at('v')} --out ${at('out')}`), { ...usage, message: /mistyped digit/ })
    await assert.rejects(run(`keys export --data-dir ${at('v')} --out ${at('out')}`), { ...usage, message: /expected one argument, got 0/ })
    await assert.rejects(run(`keys password 0x12 --data-dir ${at('v')}`), { ...usage, message: /"0x12" is no address/ })
    await assert.rejects(run(`keys import ${at('raw')} --data-dir ${at('v')} --never-signed --protection x`), usage)
    await assert.rejects(run('keys delete'), { ...usage, message: /"delete" is not known/ })
  })
})

describe('passwords on a terminal', () => {
  function terminal(...lines: readonly string[]) {
    const input = Object.assign(new EventEmitter(), {
      isTTY: true,
      raw: [] as boolean[],
      setRawMode(raw: boolean) {
        input.raw.push(raw)
        return input
      },
      setEncoding: () => input,
      resume() {
        const next = lines[input.raw.filter((raw) => raw).length - 1]
        queueMicrotask(() => input.emit('data', next))
        return input
      },
      pause: () => input,
    })
    const written: string[] = []
    const output = { write: (text: string) => written.push(text) > 0 }
    return { terminal: { input, output } as unknown as Terminal, written, input }
  }
  const request = { file: null, what: 'password', isNew: true }

  it('are typed twice, not shown, and the terminal is as it was afterwards', async () => {
    const { terminal: shown, written, input } = terminal('correct hoxx\u007f\u007frse\r', 'correct horse\n')
    assert.equal((await readPassword(request, shown)).reveal(), 'correct horse')
    assert.deepEqual(written, ['password: ', '\n', 'password, again: ', '\n'])
    assert.deepEqual(input.raw, [true, false, true, false])
    assert.equal(input.listenerCount('data'), 0)
  })

  it('that differ, are too short, or are broken off change nothing', async () => {
    await assert.rejects(readPassword(request, terminal('correct horse\r', 'correct house\r').terminal), { message: /differ/ })
    await assert.rejects(readPassword(request, terminal('short\r').terminal), { message: /fewer than 8/ })
    const broken = terminal('corr\u0003')
    await assert.rejects(readPassword(request, broken.terminal), { code: 'node/interrupted' })
    assert.deepEqual(broken.input.raw, [true, false])
  })

  it('are not waited for where there is no terminal', async () => {
    const { terminal: none, input } = terminal()
    input.isTTY = false
    await assert.rejects(readPassword(request, none), { code: 'node/usage', message: new RegExp(`--${passwordOption.flag} FILE`) })
  })
})
