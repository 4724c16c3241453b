import assert from 'node:assert/strict'
import { type Address, bigintToBytes, bytesToHex, concatBytes, createPureCrypto, toAddress } from '@keelson/primitives'
import { createManualClock, createMemoryStore, createSeededRandom, createSilentLogger } from '@keelson/runtime'
import { verifyMessage } from 'viem'
import { createGroupCommit } from '../group-commit.ts'
import { CHALLENGE_LIFE_MS, createChallenges, personalDigest } from './challenge.ts'
import { createLocalAccounts } from './linked-accounts.ts'
import { createTierDesk, type TierDesk } from './tier-desk.ts'
import { openTierRecords, type TierRecords } from './tier-records.ts'

const crypto = createPureCrypto()
const never = new AbortController().signal

interface Person {
  readonly address: Address
  sign(message: string): string
}
function person(n: number): Person {
  const key = new Uint8Array(32).fill(n)
  return {
    address: toAddress(crypto.addressOf(key)),
    sign(message) {
      const { r, s, yParity } = crypto.sign(personalDigest(message), key)
      return bytesToHex(concatBytes(bigintToBytes(r, 32), bigintToBytes(s, 32), Uint8Array.of(27 + yParity)))
    },
  }
}
const ann = person(1)
const bob = person(2)

describe('the way to a higher tier', () => {
  let desk: TierDesk
  let records: TierRecords
  const store = () => createMemoryStore()
  let disk = store()
  const clock = createManualClock(Date.UTC(2026, 0, 1))

  async function open() {
    records = await openTierRecords(disk, createGroupCommit(disk))
    const publicUrl = 'https://faucet.example'
    const random = createSeededRandom(3)
    const challenges = createChallenges({ publicUrl, chainId: 84532n }, { crypto, random, clock })
    desk = createTierDesk(
      { publicUrl, addressesPerAccount: 1 },
      { challenges, records, provider: createLocalAccounts(publicUrl), clock, random, log: createSilentLogger() },
    )
  }
  beforeEach(async () => {
    disk = store()
    await open()
  })

  const challengeFor = (purpose: 'verify' | 'apply', { address }: Person) => {
    const challenge = desk.challenge(purpose, address)
    assert.ok(challenge.ok)
    return challenge
  }
  async function signedIn(who: Person, login: string) {
    const challenge = challengeFor('verify', who)
    const state = new URL(challenge.signInUrl as string).searchParams.get('state') as string
    const result = await desk.signedIn(state, login, never)
    return { challenge, result }
  }
  async function verify(who: Person, login: string, changes: Partial<Parameters<TierDesk['verify']>[0]> = {}) {
    const { challenge, result } = await signedIn(who, login)
    if (!result.ok) return result.reason
    const { nonce, message } = challenge
    const outcome = await desk.verify({ address: who.address, nonce, code: result.code, signature: who.sign(message), ...changes })
    return outcome.ok ? records.tierOf(who.address) : outcome.reason
  }

  it('leads to verified through account, code and signature, and lasts', async () => {
    assert.equal(await verify(ann, 'ann'), 'verified')
    await open()
    assert.equal(records.tierOf(ann.address), 'verified')
    assert.equal(records.linkOf(ann.address)?.account, 'local:ann')
  })

  it('asks for a message that wallets sign and others verify', async () => {
    const { message } = challengeFor('apply', ann)
    assert.ok(await verifyMessage({ address: ann.address, message, signature: ann.sign(message) as `0x${string}` }))
    assert.match(message, /^faucet\.example wants you to sign in with your Ethereum account:\n0x[0-9a-fA-F]{40}\n\n/)
    assert.match(message, /\nURI: https:\/\/faucet\.example\nVersion: 1\nChain ID: 84532\nNonce: [0-9a-f]{68}\nIssued At: 2026-/)
  })

  it('is one address for an account, until the operator takes it away', async () => {
    assert.equal(await verify(ann, 'ann'), 'verified')
    assert.equal(await verify(bob, 'ann'), 'account-used')
    assert.equal(await verify(ann, 'ann'), 'verified', 'again is no harm')
    assert.deepEqual(await records.revoke(ann.address), ['verified'])
    assert.equal(records.tierOf(ann.address), 'anonymous')
    assert.equal(await verify(bob, 'ann'), 'verified')
  })

  it('is closed to signatures of others, wrong codes and texts of other purposes', async () => {
    const other = challengeFor('verify', ann)
    assert.equal(await verify(ann, 'ann', { signature: bob.sign(other.message) }), 'proof')
    assert.equal(await verify(ann, 'ann', { signature: ann.sign(other.message) }), 'proof', 'of another challenge')
    assert.equal(await verify(ann, 'ann', { signature: '0x1234' }), 'proof')
    assert.equal(await verify(ann, 'ann', { code: 'AAAAAAAA' }), 'code')
    assert.equal(await verify(ann, 'ann', { nonce: other.nonce }), 'sign-in', 'nobody signed in for that one')
    assert.equal(await verify(ann, 'ann', { address: bob.address }), 'sign-in')
    const apply = challengeFor('apply', ann)
    const state = `${ann.address}.${apply.nonce}`
    assert.equal((await desk.signedIn(state, 'ann', never)).ok, false, 'a challenge to apply is none to verify')
    assert.equal((await desk.signedIn(`${bob.address}.${other.nonce}`, 'ann', never)).ok, false, 'of another address')
    assert.equal(records.tierOf(ann.address), 'anonymous')
  })

  it('lets a code be guessed five times', async () => {
    const { challenge, result } = await signedIn(ann, 'ann')
    assert.ok(result.ok)
    const request = { address: ann.address, nonce: challenge.nonce, signature: ann.sign(challenge.message) }
    for (let i = 0; i < 5; i++) assert.equal((await desk.verify({ ...request, code: 'AAAAAAAA' })).ok, false)
    const right = await desk.verify({ ...request, code: result.code })
    assert.deepEqual([right.ok, !right.ok && right.reason], [false, 'sign-in'])
  })

  it('takes each nonce once, and only for ten minutes', async () => {
    const { nonce, message } = challengeFor('apply', ann)
    const request = { address: ann.address, nonce, signature: ann.sign(message), contact: 'a', project: 'b' }
    assert.equal((await desk.apply(request)).ok, true)
    const second = await desk.apply(request)
    assert.match(second.ok ? '' : second.text, /has been used/)
    const late = challengeFor('apply', ann)
    await clock.advance(CHALLENGE_LIFE_MS)
    const expired = await desk.apply({ ...request, nonce: late.nonce, signature: ann.sign(late.message) })
    assert.match(expired.ok ? '' : expired.text, /has expired/)
    const forged = await desk.apply({ ...request, nonce: `${late.nonce.slice(0, -1)}0` })
    assert.equal(forged.ok, false)
  })

  it('leads to developer when the operator grants the application', async () => {
    const { nonce, message } = challengeFor('apply', ann)
    await desk.apply({ address: ann.address, nonce, signature: ann.sign(message), contact: 'ann@example.org', project: 'a game' })
    await open()
    assert.deepEqual(
      records.applications().map(({ address, contact }) => [address, contact]),
      [[ann.address, 'ann@example.org']],
    )
    assert.equal(await records.grant(ann.address, clock.nowMs()), true)
    assert.equal(await records.grant(ann.address, clock.nowMs()), false)
    await open()
    assert.deepEqual([records.tierOf(ann.address), records.applications().length], ['developer', 0])
    assert.deepEqual(await records.revoke(ann.address), ['developer'])
    await open()
    assert.equal(records.tierOf(ann.address), 'anonymous')
  })
})
