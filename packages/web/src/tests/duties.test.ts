import assert from 'node:assert/strict'
import { toAddress } from '@keelson/primitives'
import { newestEpochs, SHOWN_EPOCHS, stateOf, uptimeOf } from '../client/pages/validators/duties.ts'

const A = toAddress(`0x${'a1'.repeat(20)}`)
const B = toAddress(`0x${'b2'.repeat(20)}`)
const AT = { block: 1, transaction: '0x' }

function viewOf(options: { epoch: number; fromEpoch: number; attested: readonly (readonly [epoch: number, lateBlocks: number])[] }) {
  const attestation = (validator: typeof A, epoch: number, lateBlocks: number) =>
    ({ ...AT, validator, epoch, lateBlocks, checkpointNumber: 0, checkpointHash: '0x', weightWei: 1n }) as never
  return {
    epoch: options.epoch,
    fromEpoch: options.fromEpoch,
    terms: { graceBlocks: 10 } as never,
    events: {
      attested: [...options.attested.map(([epoch, late]) => attestation(A, epoch, late)), attestation(B, 12, 0)],
      weights: [{ ...AT, validator: A, epoch: 14, weightWei: 0n }],
      slashed: [],
    },
  }
}

describe('the duties of a validator', () => {
  const a = { key: A, firstWeightWei: 5n }

  it('are marked for each epoch: in time, late, missed, or none without a seat', () => {
    const view = viewOf({
      epoch: 15,
      fromEpoch: 10,
      attested: [
        [10, 1],
        [11, 11],
        [13, 10],
      ],
    })
    const marks = newestEpochs(view, a).map(({ epoch, mark }) => `${epoch} ${mark}`)
    assert.deepEqual(marks, ['10 attested', '11 late', '12 missed', '13 attested', '14 idle', '15 idle'])
  })

  it('are due, not missed, while the current epoch lasts', () => {
    const open = viewOf({ epoch: 13, fromEpoch: 12, attested: [[12, 0]] })
    assert.equal(newestEpochs(open, a).at(-1)?.mark, 'due')
    assert.equal(uptimeOf(open, a).share, 1)
    const done = viewOf({
      epoch: 13,
      fromEpoch: 12,
      attested: [
        [12, 0],
        [13, 0],
      ],
    })
    assert.equal(newestEpochs(done, a).at(-1)?.mark, 'attested')
  })

  it('show the newest epochs only, while the uptime counts all of them', () => {
    const attested = Array.from({ length: 13 }, (_, i) => [i, 0] as const).slice(1)
    const view = { ...viewOf({ epoch: 200, fromEpoch: 0, attested }), terms: { graceBlocks: 10 } as never }
    assert.equal(newestEpochs(view, a).length, SHOWN_EPOCHS)
    const { dueEpochs, attestedEpochs, isBelow } = uptimeOf(view, a)
    assert.deepEqual([dueEpochs, attestedEpochs, isBelow], [14, 12, true])
  })

  it('end for ever with an offence, and pause without stake, seat or attestations', () => {
    const record = { slashed: false, ejected: false, stakeWei: 1n } as Parameters<typeof stateOf>[0]['record']
    const word = (more: object, weightWei = 0n, nextWeightWei = 0n) =>
      stateOf({ record: { ...record, ...more }, weightWei, nextWeightWei, firstWeightWei: 0n, lastEpoch: 0 }).word
    assert.equal(word({ slashed: true }, 1n, 1n), 'slashed')
    assert.equal(word({}, 1n), 'active')
    assert.equal(word({}, 0n, 1n), 'entering')
    assert.equal(word({ ejected: true }), 'ejected')
    assert.equal(word({ stakeWei: 0n }), 'no stake')
    assert.equal(word({}), 'no seat')
  })
})
