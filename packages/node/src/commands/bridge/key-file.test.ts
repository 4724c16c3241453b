import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bytesToHex, hexToBytes } from '@keelson/primitives'
import { Secret } from '@keelson/runtime'
import { createKeyFolder } from '@keelson/validator'
import { encryptKeystoreJsonSync, Wallet } from 'ethers'
import { readKey } from './key-file.ts'

const KEY = `0x${'5a'.repeat(32)}`
const USAGE = { code: 'node/usage' }

describe('the key of a bridge command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-key-'))
  const warnings: string[] = []
  const write = (name: string, text: string) => {
    const path = join(folder, name)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  const read = (values: Partial<Parameters<typeof readKey>[0]>) =>
    readKey({ privateKey: null, privateKeyFile: null, passwordFile: null, ...values }, (line) => warnings.push(line)).then((key) =>
      bytesToHex(key.reveal()),
    )
  beforeEach(() => {
    warnings.length = 0
  })
  after(() => rmSync(folder, { recursive: true }))

  it('comes from the environment, or from a file of hex', async () => {
    assert.equal(await read({ privateKey: new Secret(hexToBytes(KEY)) }), KEY)
    assert.equal(await read({ privateKeyFile: write('key', `${KEY}\n`) }), KEY)
    assert.equal(await read({ privateKeyFile: write('bare', KEY.slice(2)) }), KEY)
    assert.deepEqual(warnings, [])
  })

  it('comes from a keystore as another library writes it', async () => {
    const account = { address: new Wallet(KEY).address, privateKey: KEY }
    const keystore = write('keystore.json', encryptKeystoreJsonSync(account, 'pass word', { scrypt: { N: 1024, r: 8, p: 1 } }))
    assert.equal(await read({ privateKeyFile: keystore, passwordFile: write('password', 'pass word\n') }), KEY)
    await assert.rejects(read({ privateKeyFile: keystore, passwordFile: write('wrong', 'password') }), {
      ...USAGE,
      message: /keystore\.json: wrong password/,
    })
    await assert.rejects(read({ privateKeyFile: keystore }), { ...USAGE, message: /--password-file/ })
  })

  it('comes from a container as validator keys stand in', async () => {
    const directory = join(folder, 'validator')
    const derivation = { function: 'pbkdf2', c: 1_000 } as const
    const { path } = await createKeyFolder(directory, { derivation }).add(new Secret(hexToBytes(KEY)), 'pass word')
    assert.equal(JSON.parse(readFileSync(path, 'utf8')).version, 4)
    assert.equal(await read({ privateKeyFile: path, passwordFile: write('password', 'pass word\n') }), KEY)
    await assert.rejects(read({ privateKeyFile: path, passwordFile: write('wrong', 'password') }), { ...USAGE, message: /wrong password/ })
    await assert.rejects(
      readKey({ privateKey: null, privateKeyFile: path, passwordFile: null }, () => undefined, '--owner-password-file'),
      { ...USAGE, message: /--owner-password-file/ },
    )
  })

  it('is missed, given twice or unreadable with a word that does not repeat it', async () => {
    const silent = (error: Error) => !error.message.includes('5a5a') && (error as { code?: string }).code === 'node/usage'
    await assert.rejects(read({}), silent)
    await assert.rejects(read({ privateKey: new Secret(hexToBytes(KEY)), privateKeyFile: 'x' }), silent)
    await assert.rejects(read({ privateKeyFile: write('short', KEY.slice(0, 40)) }), silent)
    const other = { privateKeyFile: write('other.json', '{"version":2,"crypto":{}}'), passwordFile: write('any', 'x') }
    await assert.rejects(read(other), { ...USAGE, message: /its version is 2, expected 4 \(EIP-2335\) or 3/ })
  })

  it('is warned of when others may read its file', async () => {
    const path = write('open', KEY)
    chmodSync(path, 0o644)
    assert.equal(await read({ privateKeyFile: path }), KEY)
    assert.match(warnings.join(), /chmod 600/)
  })
})
