import assert from 'node:assert/strict'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { bytesToHex } from '@keelson/primitives'
import { Secret } from '@keelson/runtime'
import { addressOf, privateKeyOf } from '../attestation.test-support.ts'
import { isKeyContainer, openContainer, parseRawKey } from './import-key.ts'
import { decryptContainer, encryptContainer, parseContainer } from './key-container.ts'
import { createKeyFolder } from './key-folder.ts'
import { normalisePassword } from './password.ts'
import { addressOfPublicKey, createPrivateKey, isPrivateKey, publicKeyOf } from './secp256k1-key.ts'
import { readSecretFile, writeSecretFile } from './secret-file.ts'

/** EIP-2335, "Test Cases". */
const EIP_PASSWORD = '𝔱𝔢𝔰𝔱𝔭𝔞𝔰𝔰𝔴𝔬𝔯𝔡🔑'
const EIP_SECRET = '0x000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f'
const EIP_SALT = 'd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3'
const EIP_IV = '264daa3f303d7259501c93d997d84fe6'
const BLS_PUBLIC_KEY = '9612d7a727c9d0a22e185a1c768478dfe919cada9266988cb32359c11f2b7b27f4ae4040902382ae2910c15e2b420d07'
const eipContainer = (kdf: unknown, checksum: string, secret: string, pubkey = BLS_PUBLIC_KEY) =>
  JSON.stringify({
    crypto: {
      kdf,
      checksum: { function: 'sha256', params: {}, message: checksum },
      cipher: { function: 'aes-128-ctr', params: { iv: EIP_IV }, message: secret },
    },
    description: 'This is a test keystore',
    pubkey,
    path: 'm/12381/60/0/0',
    uuid: '64625def-3331-4eea-ab6f-782f3ed16a83',
    version: 4,
  })
const EIP_PBKDF2 = (pubkey?: string) =>
  eipContainer(
    { function: 'pbkdf2', params: { dklen: 32, c: 262144, prf: 'hmac-sha256', salt: EIP_SALT }, message: '' },
    '8a9f5d9912ed7e75ea794bc5a89bca5f193721d30868ade6f73043c6ea6febf1',
    'cee03fde2af33149775b7223e7845e4fb2c8ae1792e5f99fe9ecf474cc8c16ad',
    pubkey,
  )
const EIP_SCRYPT = eipContainer(
  { function: 'scrypt', params: { dklen: 32, n: 262144, p: 1, r: 8, salt: EIP_SALT }, message: '' },
  'd2217fe5f3e9a1e34581ef8a78f7c9928e436d36dacc5e846690a5581e8ea484',
  '06ae90d55fe0a6e9c5c3bc5b170827b2e5cce3929ed3f116c2811e6366dfe20f',
)

/** Web3 Secret Storage, version 3. */
const WEB3_SECRET = '0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d'
const WEB3_PBKDF2 = JSON.stringify({
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
    ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
    kdf: 'pbkdf2',
    kdfparams: { c: 262144, dklen: 32, prf: 'hmac-sha256', salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd' },
    mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
})
const WEB3_SCRYPT = JSON.stringify({
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '83dbcc02d8ccb40e466191a123791e0e' },
    ciphertext: 'd172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c',
    kdf: 'scrypt',
    kdfparams: { dklen: 32, n: 262144, p: 8, r: 1, salt: 'ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19' },
    mac: '2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097',
  },
  version: 3,
})
const GETH_SCRYPT = JSON.stringify({
  address: '45dea0fb0bba44f4fcf290bba71fd57d7117cbb8',
  crypto: {
    cipher: 'aes-128-ctr',
    ciphertext: 'b87781948a1befd247bff51ef4063f716cf6c2d3481163e9a8f42e1f9bb74145',
    cipherparams: { iv: 'dc4926b48a105133d2f16b96833abf1e' },
    kdf: 'scrypt',
    kdfparams: { dklen: 32, n: 2, p: 1, r: 8, salt: '004244bbdc51cadda545b1cfa43cff9ed2ae88e08c61f1479dbb45410722f8f0' },
    mac: '39990c1684557447940d4c69e06b1b82b2aceacb43f284df65c956daf3046b85',
  },
  id: 'ce541d8d-c79b-40f8-9f8c-20f59616faba',
  version: 3,
})

const QUICK = { function: 'scrypt', n: 16, r: 8, p: 1 } as const
const hexOf = (secret: Secret<Uint8Array>) => bytesToHex(secret.reveal())
const unusable = (message: RegExp) => ({ code: 'consensus/validator-key', message })

describe('passwords of key files', () => {
  it('are normalised as EIP-2335 says', () => {
    assert.equal(bytesToHex(normalisePassword(EIP_PASSWORD)), '0x7465737470617373776f7264f09f9491')
    assert.equal(bytesToHex(normalisePassword('te\u0000st\n\u007f\u0080\u009fpass word')), bytesToHex(normalisePassword('testpass word')))
    assert.equal(bytesToHex(normalisePassword('\u00e9')), '0x65cc81')
    assert.equal(bytesToHex(normalisePassword('\u00a0')), '0x20')
  })
})

describe('key containers', () => {
  it("open as EIP-2335's test cases say", async () => {
    for (const text of [EIP_PBKDF2(), EIP_SCRYPT])
      assert.equal(hexOf(await decryptContainer(parseContainer(text), EIP_PASSWORD)), EIP_SECRET)
    await assert.rejects(decryptContainer(parseContainer(EIP_PBKDF2()), `${EIP_PASSWORD}.`), unusable(/^wrong password/))
  })

  it('of version 3 open, from the Web3 Secret Storage page and from Geth', async () => {
    assert.equal(hexOf(await openContainer(WEB3_PBKDF2, 'testpassword')), WEB3_SECRET)
    const geth = await openContainer(GETH_SCRYPT, '')
    assert.equal(addressOfPublicKey(publicKeyOf(geth.reveal())), '0x45dea0fb0bba44f4fcf290bba71fd57d7117cbb8')
    // RFC 7914 requires n < 2^16 for r = 1, but this format's example has n = 2^18.
    await assert.rejects(openContainer(WEB3_SCRYPT, 'testpassword'), unusable(/RFC 7914/))
    await assert.rejects(openContainer(WEB3_PBKDF2, 'testpasswor'), unusable(/^wrong password/))
  })

  it('are written so that they open again, and tell nothing but the public key', async () => {
    for (const derivation of [QUICK, { function: 'pbkdf2', c: 10 } as const]) {
      const secret = new Secret(privateKeyOf(4))
      const text = await encryptContainer({
        secret,
        publicKey: publicKeyOf(privateKeyOf(4)),
        password: 'pass\nword',
        description: 'test',
        derivation,
      })
      const again = await openContainer(text, 'password')
      assert.equal(hexOf(again), hexOf(secret))
      const { version, pubkey, crypto } = JSON.parse(text)
      assert.deepEqual([version, pubkey], [4, bytesToHex(publicKeyOf(privateKeyOf(4))).slice(2)])
      assert.equal(crypto.kdf.params.salt.length, 64)
      assert.ok(!text.includes(hexOf(secret).slice(2)))
      assert.ok(!inspect(again).includes('5') && JSON.stringify({ again }) === '{"again":"***"}')
    }
  })

  it('that hold another key than they name are refused', async () => {
    const text = await encryptContainer({
      secret: new Secret(privateKeyOf(4)),
      publicKey: publicKeyOf(privateKeyOf(5)),
      password: 'password',
      description: '',
      derivation: QUICK,
    })
    await assert.rejects(openContainer(text, 'password'), unusable(new RegExp(`names another key .* ${addressOf(4)}`)))
    await assert.rejects(openContainer(EIP_PBKDF2(), EIP_PASSWORD), unusable(/BLS key/))
    assert.equal(hexOf(await openContainer(EIP_PBKDF2(''), EIP_PASSWORD)), EIP_SECRET)
  })

  it('that would cost too much, or are none, are refused before any work', () => {
    const scrypt = (params: object) =>
      eipContainer(
        { function: 'scrypt', params: { dklen: 32, n: 16, r: 8, p: 1, salt: EIP_SALT, ...params } },
        '00'.repeat(32),
        '00'.repeat(32),
      )
    const pbkdf2 = (params: object) =>
      eipContainer(
        { function: 'pbkdf2', params: { dklen: 32, c: 10, prf: 'hmac-sha256', salt: EIP_SALT, ...params } },
        '00'.repeat(32),
        '00'.repeat(32),
      )
    const cases: readonly (readonly [string, RegExp])[] = [
      [scrypt({ n: 2 ** 30 }), /more memory or time/],
      [scrypt({ n: 2 ** 20, r: 2 ** 20 }), /more memory or time/],
      [scrypt({ p: 2 ** 30 }), /more memory or time/],
      [scrypt({ n: 1000 }), /power of two/],
      [scrypt({ n: 1 }), /power of two/],
      [scrypt({ r: 0 }), /at least 1/],
      [scrypt({ n: '16' }), /n/],
      [scrypt({ dklen: 2 ** 31 }), /expected 32/],
      [scrypt({ salt: '00'.repeat(2000) }), /salt has 2000 bytes/],
      [scrypt({ salt: 'zz' }), /salt is not hex/],
      [pbkdf2({ c: 2 ** 40 }), /at most 10000000/],
      [pbkdf2({ prf: 'hmac-sha512' }), /hmac-sha256/],
      [eipContainer({ function: 'argon2', params: { dklen: 32, salt: '' } }, '', ''), /expected scrypt or pbkdf2/],
      [EIP_SCRYPT.replace('aes-128-ctr', 'aes-128-cbc'), /cipher/],
      [EIP_SCRYPT.replace('"sha256"', '"sha512"'), /checksum/],
      [EIP_SCRYPT.replace(EIP_IV, 'ff'), /iv is not hex of 16 bytes/],
      [EIP_SCRYPT.replace('06ae90', ''), /encrypted secret is not hex of 32 bytes/],
      [EIP_SCRYPT.replace('"version":4', '"version":5'), /version is 5/],
      [' '.repeat(70_000), /larger/],
      ['{"secret":', /it is not JSON$/],
      ['[]', /key file/],
    ]
    for (const [text, message] of cases) assert.throws(() => parseContainer(text), unusable(message))
  })
})

describe('raw keys', () => {
  it('are 64 hex digits of a number below the order of the curve, and never repeated', () => {
    const hex = hexOf(new Secret(privateKeyOf(9)))
    for (const text of [hex, hex.slice(2), ` ${hex}\n`]) assert.equal(hexOf(parseRawKey(text)), hex)
    for (const text of ['', 'secret words', hex.slice(0, -2), `0x${'00'.repeat(32)}`, `0x${'ff'.repeat(32)}`]) {
      assert.throws(
        () => parseRawKey(text),
        (error: Error & { code: string }) => error.code === 'consensus/validator-key' && (text === '' || !error.message.includes(text)),
      )
    }
    assert.deepEqual([isKeyContainer(' {"version":4}'), isKeyContainer(hex)], [true, false])
  })

  it('have the address that signatures recover to', () => {
    assert.equal(addressOfPublicKey(publicKeyOf(privateKeyOf(3))), addressOf(3))
    assert.equal(addressOfPublicKey(new Uint8Array(33)), null)
    assert.ok(isPrivateKey(createPrivateKey()))
    assert.notDeepEqual(createPrivateKey(), createPrivateKey())
  })
})

describe('a key folder', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-keys-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))
  const open = () => createKeyFolder(join(folder, 'keys'), { derivation: QUICK })

  it('keeps keys by address, in files of their owner alone', async () => {
    const keys = open()
    assert.deepEqual(await keys.list(), [])
    const { address, path } = await keys.add(new Secret(privateKeyOf(1)), 'password')
    assert.equal(address, addressOf(1))
    assert.equal((await stat(path)).mode & 0o777, 0o600)
    assert.equal((await stat(join(folder, 'keys'))).mode & 0o777, 0o700)
    await keys.add(new Secret(privateKeyOf(2)), 'another')
    assert.deepEqual(
      (await keys.list()).map((key) => key.address),
      [addressOf(1), addressOf(2)].sort(),
    )
    assert.deepEqual((await keys.open(address, 'password')).reveal(), privateKeyOf(1))
    assert.deepEqual((await readdir(join(folder, 'keys'))).length, 2, 'nothing else is left lying about')
    await assert.rejects(keys.add(new Secret(privateKeyOf(1)), 'password'), unusable(/not overwritten/))
    await assert.rejects(keys.open(addressOf(3), 'password'), unusable(/there is no key .*; there are 0x/))
  })

  it('changes a password, of a key it has', async () => {
    const keys = open()
    const { address } = await keys.add(new Secret(privateKeyOf(1)), 'password')
    await assert.rejects(keys.changePassword(new Secret(privateKeyOf(2)), 'next'), unusable(/there is no key/))
    await keys.changePassword(await keys.open(address, 'password'), 'next')
    await assert.rejects(keys.open(address, 'password'), unusable(/wrong password/))
    assert.deepEqual((await keys.open(address, 'next')).reveal(), privateKeyOf(1))
  })

  it('refuses files that others can read, and files under the name of another key', async () => {
    const keys = open()
    const { address, path } = await keys.add(new Secret(privateKeyOf(1)), 'password')
    const misnamed = join(folder, 'keys', `${addressOf(2)}.json`)
    await writeFile(misnamed, await readFile(path), { mode: 0o600 })
    await assert.rejects(keys.open(addressOf(2), 'password'), unusable(new RegExp(`holds the key of ${addressOf(1)}`)))
    for (const mode of [0o640, 0o604, 0o620]) {
      await chmod(path, mode)
      await assert.rejects(keys.open(address, 'password'), unusable(new RegExp(`mode ${mode.toString(8)}, expected 600\\): chmod 600`)))
    }
  })

  it('secret files are whole or not there, and bounded', async () => {
    const path = join(folder, 'file')
    await writeSecretFile(path, 'one')
    await assert.rejects(writeSecretFile(path, 'two'), unusable(/already/))
    assert.equal(await readSecretFile(path, 3), 'one')
    await assert.rejects(readSecretFile(path, 2), unusable(/has 3 bytes, at most 2/))
    await writeSecretFile(path, 'two', { replace: true })
    assert.equal(await readSecretFile(path, 3), 'two')
    await assert.rejects(readSecretFile(join(folder, 'none'), 3), unusable(/there is no file/))
  })
})
