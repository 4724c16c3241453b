import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHttpRpcClient } from '@keelson/client'
import { decodeStakingSignature, OWN_CONTRACTS } from '@keelson/contracts'
import { type Address, bigintToBytes, createPureCrypto, keccak256Hash, toAddress } from '@keelson/primitives'
import { createSilentLogger, createSystemClock, createSystemRandom, resolveOptions, Secret } from '@keelson/runtime'
import { addressOfPublicKey, createKeyFolder, openSlashingProtection, publicKeyOf, signingRequestDigest } from '@keelson/validator'
import { privateKeyToAccount } from 'viem/accounts'
import { registerCommand } from './stake/register.ts'
import { createServiceSigner, openValidatorSigners, validatorSignerOptions } from './validator-signers.ts'

const crypto = createPureCrypto()
const keyOf = (n: number) => bigintToBytes(BigInt(n), 32)
const addressOf = (n: number) => addressOfPublicKey(publicKeyOf(keyOf(n))) as Address
const hashOf = (n: number) => keccak256Hash(Uint8Array.of(n))
const REQUEST = {
  domain: { chainId: 901n, contract: OWN_CONTRACTS.Staking },
  anchor: hashOf(1),
  attestation: { epoch: 5, checkpointNumber: 70, checkpointHash: hashOf(2), l1OriginNumber: 30, l1OriginHash: hashOf(3) },
}
const [LOCAL, REMOTE] = [addressOf(4), addressOf(5)]

describe("a validator's signers", () => {
  let folder: string
  let service: Server
  let asked: unknown[]
  before(async () => {
    const account = privateKeyToAccount(`0x${'05'.padStart(64, '0')}`)
    service = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request.setEncoding('utf8')) body += chunk
      const { id, method, params } = JSON.parse(body)
      asked.push(method, params[0])
      const { types, primaryType, domain, message } = JSON.parse(params[1])
      const result = await account.signTypedData({ types, primaryType, domain: { ...domain, chainId: Number(domain.chainId) }, message })
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })
    service.listen(0, '127.0.0.1')
    await once(service, 'listening')
  })
  after(() => service.close())
  beforeEach(async () => {
    asked = []
    folder = await mkdtemp(join(tmpdir(), 'keelson-signers-'))
    await writeFile(join(folder, 'password'), 'correct horse\n', { mode: 0o600 })
    const keys = createKeyFolder(join(folder, 'v', 'keys'), { derivation: { function: 'scrypt', n: 4096, r: 8, p: 1 } })
    await keys.add(new Secret(keyOf(4)), 'correct horse')
    const protection = await openSlashingProtection({
      directory: join(folder, 'v', 'protection'),
      create: true,
      clock: createSystemClock(),
    })
    for (const key of [LOCAL, REMOTE]) await protection.beginKey(key)
    await protection.close()
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  async function open(flags: Readonly<Record<string, string>> = {}) {
    const clock = createSystemClock()
    const given = {
      'data-dir': join(folder, 'v'),
      'machine-dir': join(folder, 'machine'),
      'password-file': join(folder, 'password'),
      ...flags,
    }
    const { values } = resolveOptions(validatorSignerOptions, { env: {}, flags: given })
    const log = createSilentLogger()
    const rpc = (url: string, options = {}) => createHttpRpcClient({ url, ...options }, { clock, random: createSystemRandom(), log })
    return openValidatorSigners(values, { clock, crypto, rpc })
  }
  const atService = () => ({ 'signer.endpoint': `http://127.0.0.1:${(service.address() as AddressInfo).port}`, 'signer.keys': REMOTE })

  it('are the keys of the folder and those of the service, and both are protected', async () => {
    const { signers, protection } = await open(atService())
    assert.deepEqual(signers.map(({ address }) => address).sort(), [LOCAL, REMOTE].sort())
    for (const signer of signers) {
      const decoded = decodeStakingSignature(await signer.sign(REQUEST))
      const recovered = decoded === null ? null : crypto.recover(signingRequestDigest({ kind: 'attestation', ...REQUEST }), decoded)
      assert.equal(recovered === null ? null : toAddress(recovered), signer.address)
      const other = { ...REQUEST, attestation: { ...REQUEST.attestation, checkpointNumber: 71 } }
      await assert.rejects(signer.sign(other), { code: 'consensus/signing-refused' })
    }
    assert.deepEqual(asked, ['eth_signTypedData', REMOTE])
    await assert.rejects(open(), { code: 'consensus/validator-key-in-use' })
    await protection.close()
  })

  it('at a service sign a registration as the owner gave it', async () => {
    const clock = createSystemClock()
    const client = createHttpRpcClient(
      { url: atService()['signer.endpoint'] },
      { clock, random: createSystemRandom(), log: createSilentLogger() },
    )
    const signer = createServiceSigner(REMOTE, { signerForm: 'text', signerTimeoutMs: 5_000 }, { service: client, crypto, clock })
    const registration = { owner: addressOf(6), payout: addressOf(7), signingKey: REMOTE, blockKey: addressOf(8) }
    const request = { kind: 'registration', domain: REQUEST.domain, registration } as const
    const decoded = decodeStakingSignature(await signer.signUnguarded(request))
    const recovered = decoded === null ? null : crypto.recover(signingRequestDigest(request), decoded)
    assert.equal(recovered === null ? null : toAddress(recovered), REMOTE)
    assert.deepEqual(asked, ['eth_signTypedData', REMOTE])
  })

  it('for a registration are in the folder or at a service that gets the address', async () => {
    const register = (flags: Readonly<Record<string, string>>) =>
      registerCommand.run(
        resolveOptions(registerCommand.options, { env: {}, flags: { amount: '1000', ...flags } }).values as never,
        { positional: [], version: '' } as never,
      )
    await assert.rejects(register({ 'signer.endpoint': 'http://127.0.0.1:9' }), {
      code: 'node/usage',
      message: /which key .*--key ADDRESS/,
    })
    await assert.rejects(register({ key: REMOTE }), { code: 'node/usage', message: /--data-dir\), or its service \(--signer\.endpoint\)/ })
  })

  it('are refused with the reason when an option or a record is missing', async () => {
    await assert.rejects(open({ 'signer.keys': REMOTE }), { code: 'node/usage', message: /--signer.endpoint and --signer.keys, both/ })
    await assert.rejects(open({ ...atService(), 'signer.keys': addressOf(6) }), { code: 'consensus/protection-missing' })
    await assert.rejects(open({ keys: addressOf(6) }), { code: 'consensus/validator-key', message: /there is no key/ })
    await assert.rejects(open({ keys: '' }), { code: 'node/usage', message: /make one/ })
    await writeFile(join(folder, 'password'), 'wrong horse\n')
    await assert.rejects(open(), { code: 'consensus/validator-key', message: /wrong password/ })
  })
})
