import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bytesToHex, hexToBytes } from '@keelson/primitives'
import { Secret } from '@keelson/runtime'
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
    bytesToHex(readKey({ privateKey: null, privateKeyFile: null, passwordFile: null, ...values }, (line) => warnings.push(line)).reveal())
  beforeEach(() => {
    warnings.length = 0
  })
  after(() => rmSync(folder, { recursive: true }))

  it('comes from the environment, or from a file of hex', () => {
    assert.equal(read({ privateKey: new Secret(hexToBytes(KEY)) }), KEY)
    assert.equal(read({ privateKeyFile: write('key', `${KEY}\n`) }), KEY)
    assert.equal(read({ privateKeyFile: write('bare', KEY.slice(2)) }), KEY)
    assert.deepEqual(warnings, [])
  })

  it('comes from a keystore as another library writes it', () => {
    const account = { address: new Wallet(KEY).address, privateKey: KEY }
    const keystore = write('keystore.json', encryptKeystoreJsonSync(account, 'pass word', { scrypt: { N: 1024, r: 8, p: 1 } }))
    assert.equal(read({ privateKeyFile: keystore, passwordFile: write('password', 'pass word\n') }), KEY)
    assert.throws(() => read({ privateKeyFile: keystore, passwordFile: write('wrong', 'password') }), {
      ...USAGE,
      message: /the password is wrong/,
    })
    assert.throws(() => read({ privateKeyFile: keystore }), { ...USAGE, message: /--password-file/ })
  })

  it('is missed, given twice or unreadable with a word that does not repeat it', () => {
    const silent = (error: Error) => !error.message.includes('5a5a') && (error as { code?: string }).code === 'node/usage'
    assert.throws(() => read({}), silent)
    assert.throws(() => read({ privateKey: new Secret(hexToBytes(KEY)), privateKeyFile: 'x' }), silent)
    assert.throws(() => read({ privateKeyFile: write('short', KEY.slice(0, 40)) }), silent)
    const other = { privateKeyFile: write('other.json', '{"version":4,"crypto":{}}'), passwordFile: write('any', 'x') }
    assert.throws(() => read(other), { ...USAGE, message: /version 3/ })
  })

  it('is warned of when others may read its file', () => {
    const path = write('open', KEY)
    chmodSync(path, 0o644)
    assert.equal(read({ privateKeyFile: path }), KEY)
    assert.match(warnings.join(), /chmod 600/)
  })
})
