import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createManualClock } from '@keelson/runtime'
import { addressOf, attestationFor } from '../attestation.test-support.ts'
import { openSlashingProtection, openValidatorProtection } from './open-protection.ts'

const clock = createManualClock(1_700_000_000_000)
const KEY = addressOf(0)

const HOLDER = `
  import { openValidatorProtection } from ${JSON.stringify(join(import.meta.dirname, 'open-protection.ts'))}
  const [directory, machineDirectory, key] = process.argv.slice(1)
  const protection = await openValidatorProtection({ directory, machineDirectory, keys: [key], clock: { nowMs: () => 0 } })
  const stay = setInterval(() => undefined, 60_000)
  console.log('held', typeof protection, typeof stay)
`

describe('slashing protection on disk', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-protection-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))
  const machineDirectory = () => join(folder, 'machine')
  const at = (name: string) => join(folder, name, 'protection')

  async function begin(name: string): Promise<void> {
    const protection = await openSlashingProtection({ directory: at(name), create: true, clock })
    await protection.beginKey(KEY)
    await protection.close()
  }
  const use = (name: string, keys = [KEY]) =>
    openValidatorProtection({ directory: at(name), machineDirectory: machineDirectory(), keys, clock })

  it('that is missing is an error that says what to do, and nothing is made in its place', async () => {
    const missing = { code: 'consensus/protection-missing', message: /import FILE.*init --new-key ADDRESS/ }
    await assert.rejects(use('one'), missing)
    await assert.rejects(openSlashingProtection({ directory: at('one'), create: false, clock }), missing)
    assert.deepEqual(await readdir(folder), [])
  })

  it('without a record of a key is not opened for it', async () => {
    await begin('one')
    const without = { code: 'consensus/protection-missing', message: new RegExp(`what key ${addressOf(1)} has signed`) }
    await assert.rejects(use('one', [KEY, addressOf(1)]), without)
    const protection = await use('one')
    assert.deepEqual(await protection.admitAttestation(KEY, attestationFor(5)), { verdict: 'new' })
    await protection.close()
  })

  it('keeps what was signed over a restart', async () => {
    await begin('one')
    const first = await use('one')
    await first.admitAttestation(KEY, attestationFor(5))
    await first.close()
    const again = await use('one')
    assert.deepEqual(await again.recordedAttestation(KEY, 5), attestationFor(5))
    assert.equal((await again.admitAttestation(KEY, attestationFor(5, 1))).verdict, 'refused')
    await again.close()
  })

  it('two processes neither share a store nor a key on one machine', async () => {
    for (const name of ['one', 'two']) await begin(name)
    const holder = await use('one')
    await assert.rejects(use('one'), { code: 'consensus/validator-key-in-use', message: /stop it first/ })
    await assert.rejects(use('two'), { code: 'consensus/validator-key-in-use', message: /two that sign with one key are slashed/ })
    await holder.close()
    await (await use('two')).close()
  })

  it('a process that is killed gives its key free, and nothing else has to be cleaned up', async () => {
    for (const name of ['one', 'two']) await begin(name)
    const child = spawn(process.execPath, ['--import=tsx', '--input-type=module', '-e', HOLDER, '--', at('one'), machineDirectory(), KEY])
    try {
      await once(child.stdout, 'data')
      await assert.rejects(use('two'), { code: 'consensus/validator-key-in-use' })
    } finally {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    }
    for (const name of ['one', 'two']) await (await use(name)).close()
  })

  it('an old copy, in whichever folder, does not sign again what this machine has signed', async () => {
    await begin('one')
    await cp(at('one'), at('copy'), { recursive: true })
    const protection = await use('one')
    await protection.admitAttestation(KEY, attestationFor(5))
    await protection.close()
    const copy = await use('copy')
    const refused = await copy.admitAttestation(KEY, attestationFor(5, 1))
    assert.ok(refused.verdict === 'refused' && refused.reason === 'below-watermark')
    await copy.close()
  })

  it('that is damaged is said to be, and not to be begun afresh', async () => {
    await begin('one')
    await writeFile(join(at('one'), 'CURRENT'), 'no such manifest\n')
    await assert.rejects(use('one'), (error: Error & { code: string }) => {
      assert.match(error.code, /^consensus\/protection-damaged$|^runtime\/store-open$/)
      assert.ok(!error.message.includes('derived again'))
      return true
    })
    const empty = join(folder, 'empty', 'protection')
    await cp(at('one'), empty, { recursive: true })
    for (const name of await readdir(empty)) if (/\.(log|ldb)$/.test(name)) await rm(join(empty, name))
    await assert.rejects(use('empty'))
  })
})
