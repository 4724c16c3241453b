import assert from 'node:assert/strict'
import { forksAtGenesis } from '@keelson/chainspec'
import { type L1BlockRef, type L2BlockRef, l2Time, toHash } from '@keelson/primitives'
import { l1Block, testConfig } from '../../../../test/support/stage-context.ts'
import type { SingularBatch } from '../codec/batch/singular-batch.ts'
import type { BatchContext } from './batch-validity.ts'
import { checkSingularBatch } from './check-batch.ts'

// L1 blocks every 12 s from 10000; safe head at 10010 with L1 origin 0, next block at 10012
const PARENT: L2BlockRef = {
  hash: toHash(`0x${'99'.repeat(32)}`),
  number: 5,
  parentHash: toHash(`0x${'98'.repeat(32)}`),
  timestampSec: l2Time(10010),
  l1Origin: { hash: l1Block(0).hash, number: 0 },
  sequenceNumber: 5,
}
const GOOD: SingularBatch = {
  parentHash: PARENT.hash,
  epoch: { hash: l1Block(0).hash, number: 0 },
  timestampSec: 10012,
  transactions: [Uint8Array.of(2, 0xc0)],
}
const at = (origins: readonly L1BlockRef[], more: Partial<BatchContext> = {}): BatchContext => ({
  config: testConfig(),
  origins,
  parent: PARENT,
  inclusion: l1Block(3),
  ...more,
})
const TWO = [l1Block(0), l1Block(1)]
const preHolocene = testConfig(forksAtGenesis('granite'))

function verdict(batch: Partial<SingularBatch>, context: BatchContext = at(TWO)): string {
  const result = checkSingularBatch(context, { ...GOOD, ...batch })
  return result.kind === 'drop' ? result.reason : result.kind
}

describe('rules for a batch', () => {
  it('accept the next block, with the same origin or the next one', () => {
    assert.equal(verdict({}), 'accept')
    assert.equal(verdict({ epoch: { hash: l1Block(1).hash, number: 1 } }), 'accept')
  })

  it('require the next timestamp', () => {
    assert.equal(verdict({ timestampSec: 10013 }), 'batch-in-future')
    assert.equal(verdict({ timestampSec: 10011 }), 'past')
    assert.equal(verdict({ timestampSec: 10014 }, at(TWO, { config: preHolocene })), 'future')
    assert.equal(verdict({ timestampSec: 10010 }, at(TWO, { config: preHolocene })), 'batch-in-past')
  })

  it('judge time before the parent', () => {
    const parentHash = toHash(`0x${'77'.repeat(32)}`)
    assert.equal(verdict({ parentHash }), 'batch-wrong-parent')
    assert.equal(verdict({ parentHash, timestampSec: 10000 }), 'past')
  })

  it('require inclusion within the sequencing window of ten blocks', () => {
    assert.equal(verdict({}, at(TWO, { inclusion: l1Block(10) })), 'accept')
    assert.equal(verdict({}, at(TWO, { inclusion: l1Block(11) })), 'batch-included-too-late')
  })

  it('require the same origin or the next', () => {
    const later = at([l1Block(1), l1Block(2)])
    assert.equal(verdict({}, later), 'batch-epoch-too-old')
    assert.equal(verdict({ epoch: { hash: l1Block(2).hash, number: 2 } }), 'batch-epoch-too-new')
    assert.equal(verdict({ epoch: { hash: l1Block(1).hash, number: 1 } }, at([l1Block(0)])), 'undecided')
    assert.equal(verdict({}, at([])), 'undecided')
  })

  it('require an origin on the L1 chain being read', () => {
    assert.equal(verdict({ epoch: { hash: l1Block(0, 1).hash, number: 0 } }), 'batch-wrong-epoch-hash')
    assert.equal(verdict({ epoch: { hash: l1Block(1, 1).hash, number: 1 } }), 'batch-wrong-epoch-hash')
  })

  it('reject a block before its origin', () => {
    const late = { ...l1Block(1), timestampSec: 10013 }
    assert.equal(verdict({ epoch: { hash: late.hash, number: 1 } }, at([l1Block(0), late])), 'batch-before-its-origin')
    const sharp = { ...l1Block(1), timestampSec: 10012 }
    assert.equal(verdict({ epoch: { hash: sharp.hash, number: 1 } }, at([l1Block(0), sharp])), 'accept')
  })

  describe('past the sequencer drift of 1800 s', () => {
    const epoch = { ...l1Block(0), timestampSec: 10012 - 1801 }
    const drifted = (next: L1BlockRef | null) => at(next === null ? [epoch] : [epoch, next])
    const next = (timestampSec: number) => ({ ...l1Block(1), timestampSec })

    it('no transactions', () => {
      assert.equal(verdict({}, drifted(next(5000))), 'batch-exceeds-drift')
      const within = { ...epoch, timestampSec: 10012 - 1800 }
      assert.equal(verdict({}, at([within, next(5000)])), 'accept')
    })

    it('only empty blocks that could not have taken the next origin', () => {
      assert.equal(verdict({ transactions: [] }, drifted(next(10013))), 'accept')
      assert.equal(verdict({ transactions: [] }, drifted(next(10012))), 'batch-should-adopt-next-origin')
      assert.equal(verdict({ transactions: [] }, drifted(null)), 'undecided')
    })

    it('an empty block may always move on', () => {
      const advanced = { ...l1Block(1), timestampSec: 10012 - 1801 }
      assert.equal(verdict({ transactions: [], epoch: { hash: advanced.hash, number: 1 } }, at([l1Block(0), advanced])), 'accept')
    })

    it('before Fjord the drift is the configured one', () => {
      const config = testConfig(forksAtGenesis('ecotone'))
      const origin = { ...l1Block(0), timestampSec: 10012 - 601 }
      assert.equal(verdict({}, at([origin, next(5000)], { config })), 'batch-exceeds-drift')
      assert.equal(verdict({}, at([{ ...origin, timestampSec: 10012 - 600 }, next(5000)], { config })), 'accept')
    })
  })

  // op-node: batches.go, `checkSequencerTxData`; kona: sequencer_txs.rs. The specification would drop every unknown type.
  it('leave transaction types that no fork defines to the engine', () => {
    const only = (first: number) => ({ transactions: [Uint8Array.of(first, 0xc0)] })
    for (const type of [0, 1, 2, 3, 4, 5, 0x40, 0x7c, 0x7f, 0x80, 0xc0, 0xf8]) assert.equal(verdict(only(type)), 'accept', `type ${type}`)
    assert.equal(verdict(only(0x7d)), 'batch-transaction-type-unsupported')
    assert.equal(verdict(only(0x7e)), 'batch-deposit-transaction')
    assert.equal(verdict({ transactions: [Uint8Array.of(2), new Uint8Array(0)] }), 'batch-empty-transaction')
  })

  it('accept post-execution transactions from the block after the activation of Lagoon on, by block time', () => {
    const postExec = { transactions: [Uint8Array.of(0x7d, 0xc0)] }
    const lagoonAt = (lagoon: number) => at(TWO, { config: testConfig({ ...forksAtGenesis('karst'), lagoon }) })
    // specs pull request 947; the activation block itself takes no batch with transactions
    assert.equal(verdict(postExec, lagoonAt(10013)), 'batch-transaction-type-unsupported')
    assert.equal(verdict(postExec, lagoonAt(10012)), 'batch-in-activation-block-not-empty')
    assert.equal(verdict(postExec, lagoonAt(10010)), 'accept')
  })

  it('accept set-code transactions from Isthmus on, by block time', () => {
    const setCode = { transactions: [Uint8Array.of(4, 0xc0)] }
    const activating = (isthmus_time: number) => at(TWO, { config: testConfig({ ...forksAtGenesis('holocene'), isthmus: isthmus_time }) })
    assert.equal(verdict(setCode, activating(10013)), 'batch-transaction-type-unsupported')
    assert.equal(verdict(setCode, activating(10012)), 'accept')
  })

  it('require an empty activation block of Jovian', () => {
    const config = testConfig({ ...forksAtGenesis('isthmus'), jovian: 10011 })
    assert.equal(verdict({}, at(TWO, { config })), 'batch-in-activation-block-not-empty')
    assert.equal(verdict({ transactions: [] }, at(TWO, { config })), 'accept')
    const before = testConfig({ ...forksAtGenesis('isthmus'), jovian: 10010 })
    assert.equal(verdict({}, at(TWO, { config: before })), 'accept')
  })
})

interface Case {
  timestampSec: number
  parentHash: SingularBatch['parentHash']
  inclusion: number
  firstOrigin: number
  epochNumber: number
  epochBranch: number
  originTimeSec: number
  transactions: Uint8Array[]
  config: ReturnType<typeof testConfig>
}

function judge(spoilers: readonly ((c: Case) => void)[], strict: boolean): string {
  const c: Case = {
    timestampSec: 10012,
    parentHash: PARENT.hash,
    inclusion: 3,
    firstOrigin: 0,
    epochNumber: 0,
    epochBranch: 0,
    originTimeSec: 10000,
    transactions: [Uint8Array.of(2, 0xc0)],
    config: strict ? testConfig() : preHolocene,
  }
  for (const spoil of spoilers) spoil(c)
  const origins = [0, 1].map((n) => ({ ...l1Block(c.firstOrigin + n), timestampSec: c.originTimeSec }))
  const epoch = { number: c.epochNumber, hash: l1Block(c.epochNumber, c.epochBranch).hash }
  const batch = { parentHash: c.parentHash, epoch, timestampSec: c.timestampSec, transactions: c.transactions }
  return verdict(batch, at(origins, { config: c.config, inclusion: l1Block(c.inclusion) }))
}

/** Rules in the order of derivation.md#batch-queue; a batch can break only one rule of each group at a time. */
const LADDER: readonly (readonly [rule: string, group: string, spoil: (c: Case) => void])[] = [
  ['batch-in-future', 'time', (c) => (c.timestampSec = 10014)],
  ['past', 'time', (c) => (c.timestampSec = 10010)],
  ['batch-wrong-parent', 'parent', (c) => (c.parentHash = toHash(`0x${'77'.repeat(32)}`))],
  ['batch-included-too-late', 'inclusion', (c) => (c.inclusion = 13)],
  ['batch-epoch-too-old', 'epoch', (c) => (c.firstOrigin = 1)],
  ['batch-epoch-too-new', 'epoch', (c) => (c.epochNumber = 2)],
  ['batch-wrong-epoch-hash', 'hash', (c) => (c.epochBranch = 1)],
  ['batch-before-its-origin', 'origin time', (c) => (c.originTimeSec = 10020)],
  ['batch-exceeds-drift', 'origin time', (c) => (c.originTimeSec = 10000 - 2000)],
  ['batch-empty-transaction', 'transactions', (c) => (c.transactions = [new Uint8Array(0)])],
  ['batch-deposit-transaction', 'transactions', (c) => (c.transactions = [Uint8Array.of(0x7e)])],
  ['batch-transaction-type-unsupported', 'transactions', (c) => (c.transactions = [Uint8Array.of(0x7d)])],
]
const BEFORE_HOLOCENE: Readonly<Record<string, string>> = { 'batch-in-future': 'future', past: 'batch-in-past' }

describe('rules for a batch, in the order of derivation.md#batch-queue', () => {
  for (const strict of [true, false]) {
    for (const [i, [rule, group, spoil]] of LADDER.entries()) {
      const expected = strict ? rule : (BEFORE_HOLOCENE[rule] ?? rule)
      it(`${strict ? 'Holocene' : 'before Holocene'}: ${expected} comes before the rules after it`, () => {
        assert.equal(judge([], strict), 'accept')
        assert.equal(judge([spoil], strict), expected)
        for (const [later, laterGroup, spoilToo] of LADDER.slice(i + 1)) {
          if (laterGroup !== group) assert.equal(judge([spoil, spoilToo], strict), expected, `with ${later}`)
        }
      })
    }
  }

  it('drift, then the activation block, then each transaction. jovian/derivation.md#activation-block-rules', () => {
    const jovian = testConfig({ ...forksAtGenesis('isthmus'), jovian: 10012 })
    const activating = (c: Case) => {
      c.config = jovian
    }
    const drifted = (c: Case) => {
      c.originTimeSec = 8000
    }
    const deposit = (c: Case) => {
      c.transactions = [Uint8Array.of(0x7e)]
    }
    assert.equal(judge([activating, drifted], true), 'batch-exceeds-drift')
    assert.equal(judge([activating, deposit], true), 'batch-in-activation-block-not-empty')
  })

  for (const [jovian, expected] of [
    [10014, 'accept'],
    [10013, 'accept'],
    [10012, 'batch-in-activation-block-not-empty'],
    [10011, 'batch-in-activation-block-not-empty'],
    [10010, 'accept'],
  ] as const) {
    it(`a block at 10012 with transactions and Jovian at ${jovian}: ${expected}`, () => {
      const config = testConfig({ ...forksAtGenesis('isthmus'), jovian })
      assert.equal(verdict({}, at(TWO, { config })), expected)
    })
  }

  for (const [holocene, expected] of [
    [l1Block(3).timestampSec + 1, 'future'],
    [l1Block(3).timestampSec, 'batch-in-future'],
    [l1Block(3).timestampSec - 1, 'batch-in-future'],
  ] as const) {
    it(`holocene/derivation.md#activation: included at ${l1Block(3).timestampSec}, Holocene at ${holocene}: ${expected}`, () => {
      const config = testConfig({ ...forksAtGenesis('granite'), holocene })
      assert.equal(verdict({ timestampSec: 10014 }, at(TWO, { config })), expected)
    })
  }

  // fjord/derivation.md#timestamp-activation: the drift changes with the origin's time; origin at 10000, 1000 s ago
  for (const [fjord, expected] of [
    [10001, 'batch-exceeds-drift'],
    [10000, 'accept'],
    [9999, 'accept'],
  ] as const) {
    it(`a batch 1000 s after its origin at 10000, Fjord at ${fjord}: ${expected}`, () => {
      const config = testConfig({ ...forksAtGenesis('ecotone'), fjord })
      const parent = { ...PARENT, timestampSec: l2Time(10998) }
      const next = { ...l1Block(1), timestampSec: 20000 }
      assert.equal(verdict({ timestampSec: 11000 }, at([l1Block(0), next], { config, parent })), expected)
    })
  }
})
