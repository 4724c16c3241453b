import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { decodeStakingSignature, OWN_CONTRACTS } from '@keelson/contracts'
import { bytesToHex, equalBytes, toAddress, ZERO_ADDRESS } from '@keelson/primitives'
import { createManualClock, createMemoryStore, Secret } from '@keelson/runtime'
import { hashTypedData } from 'viem'
import { addressOf, attestationFor, crypto, privateKeyOf } from '../attestation.test-support.ts'
import { createGuardedSigner } from '../guarded-signer.ts'
import { createSlashingProtection } from '../protection/create-protection.ts'
import { initialiseProtectionStore } from '../protection/protection-store.ts'
import { type SigningRequest, signingRequestDigest } from '../signer.ts'
import { createLocalValidatorSigner } from './local-signer.ts'
import { createRemoteValidatorSigner } from './remote-signer.ts'
import { toTypedData } from './typed-data.ts'

const KEY = addressOf(0)
const attestation: SigningRequest = { kind: 'attestation', ...attestationFor(5) }
const registration: SigningRequest = {
  kind: 'registration',
  domain: { chainId: 2n ** 60n + 1n, contract: OWN_CONTRACTS.Staking },
  registration: { owner: addressOf(3), payout: addressOf(4), signingKey: KEY, blockKey: ZERO_ADDRESS },
}

const local = createLocalValidatorSigner(new Secret(privateKeyOf(0)), crypto)

function recovered(request: SigningRequest, signature: Uint8Array) {
  const decoded = decodeStakingSignature(signature)
  const signer = decoded === null ? null : crypto.recover(signingRequestDigest(request), decoded)
  return signer === null ? null : toAddress(signer)
}

function remote(answer: (params: readonly unknown[]) => unknown, form: 'text' | 'object' = 'text', clock = createManualClock()) {
  const asked: (readonly unknown[])[] = []
  const signer = createRemoteValidatorSigner(
    { address: KEY, host: 'signer:9000', timeoutMs: 2_000, form },
    {
      call: async (method, params) => {
        asked.push([method, ...params])
        return answer(params)
      },
      crypto,
      clock,
    },
  )
  return { signer, asked, clock }
}

describe('typed data', () => {
  it('is what the digests are of, by another implementation of EIP-712', () => {
    for (const request of [attestation, registration]) {
      const { types, primaryType, domain, message } = toTypedData(request)
      const digest = hashTypedData({ types, primaryType, domain: { ...domain, chainId: BigInt(domain.chainId) }, message } as never)
      assert.equal(digest, bytesToHex(signingRequestDigest(request)))
    }
  })
})

describe('validator signers', () => {
  it('with a local key return r, s and v of the digest', async () => {
    for (const request of [attestation, registration]) {
      const signature = await local.signUnguarded(request)
      assert.ok([27, 28].includes(signature[64] as number))
      assert.equal(recovered(request, signature), KEY)
    }
  })

  it('at a service are shown what is signed, as text or as an object', async () => {
    const sign = async () => bytesToHex(await local.signUnguarded(attestation))
    const asText = remote(sign)
    assert.equal(recovered(attestation, await asText.signer.signUnguarded(attestation)), KEY)
    const [[method, address, typedData]] = asText.asked as [[string, string, string]]
    assert.deepEqual([method, address, JSON.parse(typedData)], ['eth_signTypedData', KEY, toTypedData(attestation)])
    const asObject = remote(sign, 'object')
    await asObject.signer.signUnguarded(attestation)
    assert.deepEqual(asObject.asked[0]?.[2], toTypedData(attestation))
  })

  it('take v as 0 and 1 from a service and pass it on as 27 and 28', async () => {
    const { signer } = remote(async () => {
      const signature = await local.signUnguarded(attestation)
      signature[64] = (signature[64] as number) - 27
      return bytesToHex(signature)
    })
    assert.ok(equalBytes(await signer.signUnguarded(attestation), await local.signUnguarded(attestation)))
  })

  it('let nothing out that is not the expected signature', async () => {
    const stranger = createLocalValidatorSigner(new Secret(privateKeyOf(1)), crypto)
    const cases: readonly (readonly [() => unknown, RegExp])[] = [
      [async () => bytesToHex(await stranger.signUnguarded(attestation)), new RegExp(`signature of ${stranger.address}`)],
      [async () => bytesToHex(await local.signUnguarded({ kind: 'attestation', ...attestationFor(5, 1) })), /signs something else/],
      [() => '0x1234', /no signature of 65 bytes/],
      [() => ({ signature: '0x' }), /no signature/],
      [() => `0x${'00'.repeat(64)}1b`, /signature of nobody/],
      [() => Promise.reject(new Error('unknown account')), /does not sign .*unknown account/],
    ]
    for (const [answer, message] of cases) {
      await assert.rejects(remote(answer).signer.signUnguarded(attestation), { code: 'consensus/remote-signer', message })
    }
  })

  it('give up on a service that does not answer', async () => {
    const { signer, clock } = remote(() => new Promise(() => undefined))
    const signing = assert.rejects(signer.signUnguarded(attestation), {
      code: 'consensus/remote-signer',
      message: /not answered for 2000 ms/,
    })
    await setImmediate()
    await clock.advance(2_000)
    await signing
  })
})

describe('a guarded signer', () => {
  it('signs what is admitted, and tells why it does not sign the rest', async () => {
    const clock = createManualClock()
    const store = createMemoryStore()
    await initialiseProtectionStore(store, clock)
    const protection = createSlashingProtection(store, { clock })
    const signer = createGuardedSigner(local, protection)
    await assert.rejects(signer.sign(attestationFor(5)), {
      code: 'consensus/signing-refused',
      details: { key: KEY, epoch: 5, reason: 'unknown-key' },
    })
    await protection.beginKey(KEY)
    const signature = await signer.sign(attestationFor(5))
    assert.equal(recovered(attestation, signature), KEY)
    assert.deepEqual(await signer.sign(attestationFor(5)), signature)
    await assert.rejects(signer.sign(attestationFor(5, 1)), {
      code: 'consensus/signing-refused',
      details: { key: KEY, epoch: 5, reason: 'other-attestation-in-epoch' },
    })
    if (registration.kind === 'registration') assert.equal(recovered(registration, await signer.signRegistration(registration)), KEY)
  })

  it('signs what was admitted, whatever becomes of the object it was given', async () => {
    const changing = attestationFor(5)
    const signer = createGuardedSigner(local, {
      admitAttestation: async () => {
        ;(changing.attestation as { epoch: number }).epoch = 6
        return { verdict: 'new' }
      },
    })
    assert.equal(recovered(attestation, await signer.sign(changing)), KEY)
  })
})
