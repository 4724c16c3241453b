import assert from 'node:assert/strict'
import { type L2BlockRef, l2Time, ZERO_HASH } from '@keelson/primitives'
import { addressOf, hashOf } from '../attestation.test-support.ts'
import type { KeyPosition } from '../staking/staking-chain.ts'
import { chooseCheckpoint, decideDuty, type KeyView, placeOf, unpaidSilenceWei, whyInactive } from './decide-duty.ts'

const KEY = addressOf(0)
const TERMS = { epochBlocks: 15, graceBlocks: 10, dayBlocks: 90, maxDowntimeDays: 30 }
const RECORD = {
  owner: addressOf(1),
  id: 1,
  slashed: false,
  ejected: false,
  payout: addressOf(1),
  availableAt: 0,
  openOffences: 0,
  blockKey: addressOf(2),
  stakeWei: 1_000n,
  unbondingWei: 0n,
  rewardsWei: 0n,
}

function position(changes: Partial<KeyPosition> = {}): KeyPosition {
  return {
    key: KEY,
    record: RECORD,
    duty: { silentFrom: 0, activeUntil: 2 ** 48 - 1, lastEpoch: 3, lateFrom: 0, silentBefore: 0, daysPaid: 0 },
    weightWei: 1_000n,
    nextWeightWei: 1_000n,
    silentEpochs: 0,
    ...changes,
  }
}

const duty = (lastEpoch: number) => ({ ...position().duty, lastEpoch })

function view(head: number, changes: Partial<KeyView> = {}): KeyView {
  return {
    position: position(),
    place: placeOf(head, TERMS),
    head,
    retentionStakeWei: 950n,
    firstBlock: 15,
    signed: false,
    sending: false,
    ...changes,
  }
}

describe('what a key has to do', () => {
  const cases: readonly (readonly [string, KeyView, string])[] = [
    ['signs at the slot', view(60), 'sign'],
    ['signs when the time of grace is over, for late is better than never', view(71), 'sign'],
    ['sends what it has signed', view(61, { signed: true }), 'send'],
    ['waits while it is on its way', view(61, { signed: true, sending: true }), 'under-way'],
    ['has attested', view(62, { position: position({ duty: duty(4) }), signed: true }), 'attested'],
    ['sends again when a reorg took the attestation away', view(63, { position: position({ duty: duty(3) }), signed: true }), 'send'],
    ['does not attest when no block of the epoch can take it', view(74), 'too-late'],
    ['does not even send then', view(74, { signed: true }), 'too-late'],
    ['does the last one that can be taken', view(73), 'sign'],
    ['listens before its first epoch', view(60, { firstBlock: 75 }), 'listening'],
    ['listens in its first epoch until its first block', view(62, { firstBlock: 63 }), 'listening'],
    ['signs from its first block on', view(63, { firstBlock: 63 }), 'sign'],
    ['is not active', view(60, { position: position({ weightWei: 0n }) }), 'inactive'],
    [
      'was slashed, which counts before all else',
      view(60, { position: position({ record: { ...RECORD, slashed: true }, weightWei: 0n }) }),
      'slashed',
    ],
    [
      'has nothing to do in epoch 0, in which nobody is active',
      view(5, { position: position({ weightWei: 0n, duty: duty(0) }) }),
      'inactive',
    ],
  ]
  for (const [name, given, kind] of cases) {
    it(name, () => assert.equal(decideDuty(given).kind, kind))
  }

  it('says why a key is not active', () => {
    const why = (record: Partial<typeof RECORD> | null, nextWeightWei = 0n) =>
      whyInactive(position({ record: record === null ? null : { ...RECORD, ...record }, nextWeightWei }), 950n)
    assert.match(why(null), /not registered/)
    assert.match(why({}, 1_000n), /from the next epoch on/)
    assert.match(why({ stakeWei: 0n }), /nothing is staked/)
    assert.match(why({ stakeWei: 949n }), /below the minimum/)
    assert.match(why({ stakeWei: 999n }), /others have more/, 'a slash has taken it below the minimum, which costs no seat')
    assert.match(why({ slashed: true }), /out for good/)
    assert.match(why({ ejected: true }), /keelson validator rejoin/)
    assert.match(why({ slashed: true, ejected: true }), /out for good/)
    assert.match(why({ stakeWei: 5_000n }), /others have more/)
  })
})

describe('what is attested to', () => {
  const final = (number: number): L2BlockRef => ({
    number,
    hash: hashOf(number),
    parentHash: hashOf(Math.max(0, number - 1)),
    timestampSec: l2Time(number * 2),
    l1Origin: { number: 5, hash: hashOf(50) },
    sequenceNumber: 0,
  })
  it('the newest final block, with its L1 origin', () => {
    assert.deepEqual(chooseCheckpoint(final(40), placeOf(60, TERMS), 60, 40), {
      kind: 'block',
      number: 40,
      hash: hashOf(40),
      l1Origin: { number: 5, hash: hashOf(50) },
    })
  })
  it('the last block before the slot, when more is final', () => {
    for (const number of [60, 65]) {
      assert.deepEqual(chooseCheckpoint(final(number), placeOf(66, TERMS), 66, number), { kind: 'look-up', number: 59 })
    }
    assert.equal(chooseCheckpoint(final(59), placeOf(66, TERMS), 66, 70).kind, 'block')
  })
  it('nothing that is not final for the execution client as well', () => {
    assert.deepEqual(chooseCheckpoint(final(40), placeOf(60, TERMS), 60, 31), { kind: 'look-up', number: 31 })
    for (const none of [0, null]) {
      const choice = chooseCheckpoint(final(40), placeOf(60, TERMS), 60, none)
      assert.ok(choice.kind === 'waiting' && choice.reason.includes('the execution client has no final block'))
    }
  })
  it('nothing while nothing is final', () => {
    for (const nothing of [final(0), { ...final(0), hash: ZERO_HASH }]) {
      const choice = chooseCheckpoint(nothing, placeOf(60, TERMS), 60, 0)
      assert.ok(choice.kind === 'nothing-final' && choice.reason.includes('nothing is final yet'))
    }
  })
  it('nothing that the chain cannot check any more', () => {
    const place = placeOf(9_000, TERMS)
    const choice = chooseCheckpoint(final(9_000 - 8_191 + 15), place, 9_000, 9_000)
    assert.ok(choice.kind === 'waiting' && choice.reason.includes('8191'))
    assert.equal(chooseCheckpoint(final(9_000 - 8_191 + 16), place, 9_000, 9_000).kind, 'block')
  })
})

describe('the price of silence', () => {
  const silent = (silentEpochs: number, daysPaid = 0, stakeWei = 1_000_000n) =>
    unpaidSilenceWei(position({ silentEpochs, duty: { ...duty(3), daysPaid }, record: { ...RECORD, stakeWei } }), TERMS)
  it('is a thousandth for each whole day, of what is left', () => {
    assert.equal(silent(5), 0n)
    assert.equal(silent(6), 1_000n)
    assert.equal(silent(12), 1_000n + 999n)
    assert.equal(silent(12, 1), 1_000n)
  })
  it('ends at the most days that cost', () => {
    assert.equal(silent(6 * 30), silent(6 * 100))
  })
})
