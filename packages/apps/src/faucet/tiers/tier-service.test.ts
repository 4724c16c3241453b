import assert from 'node:assert/strict'
import { type Address, bigintToBytes, bytesToHex, concatBytes, createPureCrypto, toAddress } from '@keelson/primitives'
import { createManualClock, createMemoryStore, createSeededRandom, createSilentLogger } from '@keelson/runtime'
import { verifyMessage } from 'viem'
import { type Captcha, NO_CAPTCHA } from '../captcha.ts'
import { createGroupCommit } from '../group-commit.ts'
import { APPLICATION_LIFE_MS, APPLICATIONS_PER_SUBSCRIBER, MAX_APPLICATIONS } from './application.ts'
import { CHALLENGE_LIFE_MS, createChallenges, personalDigest } from './challenge.ts'
import { createLocalAccounts } from './linked-accounts.ts'
import { openTierRecords, type TierRecords } from './tier-records.ts'
import { TierService } from './tier-service.ts'

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
const caller = { captcha: null, subscriber: '192.0.2.1', remoteIp: '192.0.2.1' }
const ann = person(1)
const bob = person(2)

describe('the way to a higher tier', () => {
  let service: TierService
  let records: TierRecords
  const store = () => createMemoryStore()
  let disk = store()
  let captcha: Captcha
  const clock = createManualClock(Date.UTC(2026, 0, 1))

  async function open() {
    records = await openTierRecords(disk, createGroupCommit(disk))
    const publicUrl = 'https://faucet.example'
    const random = createSeededRandom(3)
    const challenges = createChallenges({ publicUrl, chainId: 84532n }, { crypto, random, clock })
    service = new TierService(
      { publicUrl, addressesPerAccount: 1 },
      { challenges, records, provider: createLocalAccounts(publicUrl), captcha, clock, random, log: createSilentLogger() },
    )
  }
  beforeEach(async () => {
    disk = store()
    captcha = NO_CAPTCHA
    await open()
  })

  const challengeFor = (purpose: 'verify' | 'apply', { address }: Person) => {
    const challenge = service.challenge(purpose, address)
    assert.ok(challenge.ok)
    return challenge
  }
  async function signedIn(who: Person, login: string) {
    const challenge = challengeFor('verify', who)
    const state = new URL(challenge.signInUrl as string).searchParams.get('state') as string
    const result = await service.signedIn(state, login, never)
    return { challenge, result }
  }
  async function verify(who: Person, login: string, changes: Partial<Parameters<TierService['verify']>[0]> = {}) {
    const { challenge, result } = await signedIn(who, login)
    if (!result.ok) return result.reason
    const { nonce, message } = challenge
    const outcome = await service.verify({ address: who.address, nonce, code: result.code, signature: who.sign(message), ...changes })
    return outcome.ok ? records.tierOf(who.address) : outcome.reason
  }

  it('leads to verified through account, code and signature, and lasts', async () => {
    assert.equal(await verify(ann, 'ann'), 'verified')
    await open()
    assert.equal(records.tierOf(ann.address), 'verified')
    assert.equal(records.linkOf(ann.address)?.account, 'local:ann')
  })

  it('requests a message that wallets sign and other libraries verify', async () => {
    const { message } = challengeFor('apply', ann)
    assert.ok(await verifyMessage({ address: ann.address, message, signature: ann.sign(message) as `0x${string}` }))
    assert.match(message, /^faucet\.example wants you to sign in with your Ethereum account:\n0x[0-9a-fA-F]{40}\n\n/)
    assert.match(message, /\nURI: https:\/\/faucet\.example\nVersion: 1\nChain ID: 84532\nNonce: [0-9a-f]{68}\nIssued At: 2026-/)
  })

  it('allows one address per account, until the operator revokes it', async () => {
    assert.equal(await verify(ann, 'ann'), 'verified')
    assert.equal(await verify(bob, 'ann'), 'account-used')
    assert.equal(await verify(ann, 'ann'), 'verified', 'again is no harm')
    assert.deepEqual(await records.revoke(ann.address), ['verified'])
    assert.equal(records.tierOf(ann.address), 'anonymous')
    assert.equal(await verify(bob, 'ann'), 'verified')
  })

  it('rejects signatures of others, wrong codes and messages for other purposes', async () => {
    const other = challengeFor('verify', ann)
    assert.equal(await verify(ann, 'ann', { signature: bob.sign(other.message) }), 'proof')
    assert.equal(await verify(ann, 'ann', { signature: ann.sign(other.message) }), 'proof', 'of another challenge')
    assert.equal(await verify(ann, 'ann', { signature: '0x1234' }), 'proof')
    assert.equal(await verify(ann, 'ann', { code: 'AAAAAAAA' }), 'code')
    assert.equal(await verify(ann, 'ann', { nonce: other.nonce }), 'sign-in', 'nobody signed in for that one')
    assert.equal(await verify(ann, 'ann', { address: bob.address }), 'sign-in')
    const apply = challengeFor('apply', ann)
    const state = `${ann.address}.${apply.nonce}`
    assert.equal((await service.signedIn(state, 'ann', never)).ok, false, 'a challenge to apply is none to verify')
    assert.equal((await service.signedIn(`${bob.address}.${other.nonce}`, 'ann', never)).ok, false, 'of another address')
    assert.equal(records.tierOf(ann.address), 'anonymous')
  })

  it('allows five guesses of a code', async () => {
    const { challenge, result } = await signedIn(ann, 'ann')
    assert.ok(result.ok)
    const request = { address: ann.address, nonce: challenge.nonce, signature: ann.sign(challenge.message) }
    for (let i = 0; i < 5; i++) assert.equal((await service.verify({ ...request, code: 'AAAAAAAA' })).ok, false)
    const right = await service.verify({ ...request, code: result.code })
    assert.deepEqual([right.ok, !right.ok && right.reason], [false, 'sign-in'])
  })

  it('accepts each nonce once, and only for ten minutes', async () => {
    const { nonce, message } = challengeFor('apply', ann)
    const request = { ...caller, address: ann.address, nonce, signature: ann.sign(message), contact: 'a', project: 'b' }
    assert.equal((await service.apply(request, never)).ok, true)
    const second = await service.apply(request, never)
    assert.match(second.ok ? '' : second.text, /has been used/)
    const late = challengeFor('apply', ann)
    await clock.advance(CHALLENGE_LIFE_MS)
    const expired = await service.apply({ ...request, nonce: late.nonce, signature: ann.sign(late.message) }, never)
    assert.match(expired.ok ? '' : expired.text, /has expired/)
    const forged = await service.apply({ ...request, nonce: `${late.nonce.slice(0, -1)}0` }, never)
    assert.equal(forged.ok, false)
  })

  it('leads to developer when the operator grants the application', async () => {
    const { nonce, message } = challengeFor('apply', ann)
    await service.apply(
      { ...caller, address: ann.address, nonce, signature: ann.sign(message), contact: 'ann@example.org', project: 'a game' },
      never,
    )
    await open()
    assert.deepEqual(
      records.applications(clock.nowMs()).map(({ address, contact }) => [address, contact]),
      [[ann.address, 'ann@example.org']],
    )
    assert.equal(await records.grant(ann.address, clock.nowMs()), true)
    assert.equal(await records.grant(ann.address, clock.nowMs()), false)
    await open()
    assert.deepEqual([records.tierOf(ann.address), records.applications(clock.nowMs()).length], ['developer', 0])
    assert.deepEqual(await records.revoke(ann.address), ['developer'])
    await open()
    assert.equal(records.tierOf(ann.address), 'anonymous')
  })

  const applyAs = (who: Person, request: Partial<typeof caller>) => {
    const { nonce, message } = challengeFor('apply', who)
    return service.apply(
      { ...caller, address: who.address, nonce, signature: who.sign(message), contact: 'a', project: 'b', ...request },
      never,
    )
  }
  const waiting = () => records.applications(clock.nowMs()).map(({ address }) => address)

  it('stays open to others when one network applies with many throwaway keys', async () => {
    assert.ok((await applyAs(ann, { subscriber: '203.0.113.1' })).ok)
    for (let n = 10; n < 40; n++) {
      assert.ok((await applyAs(person(n), {})).ok)
      await clock.advance(1)
    }
    assert.deepEqual(waiting().length, 1 + APPLICATIONS_PER_SUBSCRIBER)
    assert.deepEqual(waiting()[0], ann.address)
    assert.deepEqual(waiting().slice(1), [person(37).address, person(38).address, person(39).address])
    await records.markSeen(clock.nowMs())
    const more = await applyAs(person(50), {})
    assert.deepEqual([more.ok, !more.ok && more.reason], [false, 'ip-limit'])
    assert.ok((await applyAs(bob, { subscriber: '203.0.113.2' })).ok)
    await open()
    assert.equal(waiting().length, 2 + APPLICATIONS_PER_SUBSCRIBER)
    await clock.advance(APPLICATION_LIFE_MS)
    assert.deepEqual(waiting(), [])
    assert.ok((await applyAs(person(50), {})).ok)
  })

  it('drops the oldest unseen application of the largest network from a full list, and is full when each network has one', async () => {
    const put = (n: number, subscriber: string) =>
      records.apply({
        address: toAddress(`0x${n.toString(16).padStart(40, '0')}`),
        contact: 'a',
        project: 'b',
        atMs: clock.nowMs() + n,
        subscriber,
      })
    const networks = MAX_APPLICATIONS - 2
    for (let n = 1; n <= networks; n++) assert.equal(await put(n, `net ${n}`), 'applied')
    assert.equal(await put(networks + 1, 'net 7'), 'applied')
    assert.equal(await put(networks + 2, 'net 7'), 'applied')
    assert.equal(await put(networks + 3, 'net new'), 'applied')
    assert.ok(!waiting().includes(toAddress(`0x${'7'.padStart(40, '0')}`)))
    assert.equal(await put(networks + 4, 'net newer'), 'applied')
    assert.equal(await put(networks + 5, 'net newest'), 'full')
    assert.equal(records.applications(clock.nowMs()).length, MAX_APPLICATIONS)
  })

  it('requires a captcha where configured, and keeps the nonce when it fails', async () => {
    captcha = { required: true, check: async (token) => (token === 'good' ? 'passed' : 'refused'), close: () => undefined }
    await open()
    const { nonce, message } = challengeFor('apply', ann)
    const request = { ...caller, address: ann.address, nonce, signature: ann.sign(message), contact: 'a', project: 'b' }
    for (const token of [null, 'bad']) {
      const answer = await service.apply({ ...request, captcha: token }, never)
      assert.deepEqual([answer.ok, !answer.ok && answer.reason], [false, 'captcha'])
    }
    assert.ok((await service.apply({ ...request, captcha: 'good' }, never)).ok)
  })
})
