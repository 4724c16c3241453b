import assert from 'node:assert/strict'
import type { StatusView, WithdrawalsView } from '@keelson/apps/bridge'
import { type Hash, toHash } from '@keelson/primitives'
import { BridgeStatusJudge, type StatusTruth } from './bridge-status-judge.ts'

const hashOf = (n: number): Hash => toHash(`0x${String(n).padStart(64, '0')}`)
const TX = hashOf(9)
const CONTRADICTS = 'the bridge status does not contradict a final chain'
const STAYS = 'a final transfer stays as it is'

const truth: StatusTruth = {
  l1HashAt: (number) => (number <= 20 ? hashOf(100 + number) : null),
  l2HashAt: (number) => hashOf(200 + number),
  l1FinalizedNumber: 10,
  l2FinalizedNumber: 50,
  isOriginFinal: (number) => number <= 50,
}

/** A deposit in the final blocks 10 of L1 and 50 of L2. */
function depositView({ l1 = {}, l2 = {}, state = 'complete' }: { l1?: object; l2?: object; state?: string } = {}): StatusView {
  return {
    state,
    l1: { blockNumber: 10, blockHash: hashOf(110), finalized: true, ...l1 },
    deposits: [{ l2: { blockNumber: 50, blockHash: hashOf(250), finalized: true, ...l2 } }],
  } as unknown as StatusView
}

function judge() {
  const rules: string[] = []
  const it = new BridgeStatusJudge((rule) => rules.push(rule))
  return {
    rules,
    it,
    deposit: (view: StatusView) => it.hear({ kind: 'deposit', txHash: TX, view }, truth),
    withdrawal: (status: WithdrawalsView['status'], at = truth) =>
      it.hear({ kind: 'withdrawal', txHash: TX, view: { status } as WithdrawalsView }, at),
  }
}

describe('the judge of the bridge status', () => {
  it('finds nothing wrong with a deposit that advances on the chains as they are', () => {
    const { rules, deposit } = judge()
    deposit(depositView({ state: 'relaying', l1: { finalized: false }, l2: { finalized: false } }))
    deposit(depositView())
    deposit(depositView())
    assert.deepEqual(rules, [])
  })

  it('accepts a final block although the node that finalized it has stopped', () => {
    const { rules, it: judged } = judge()
    const stopped = { ...truth, l2FinalizedNumber: 30, isOriginFinal: () => false }
    judged.look(truth)
    judged.hear({ kind: 'deposit', txHash: TX, view: depositView() }, stopped)
    assert.deepEqual(rules, [])
  })

  it('waits for a node that has the block, when none runs', () => {
    const { rules, it: judged } = judge()
    const silent: StatusTruth = { ...truth, l2FinalizedNumber: 0, l2HashAt: () => null, isOriginFinal: () => null }
    const view = depositView({ l2: { blockNumber: 51, blockHash: hashOf(251) } })
    judged.hear({ kind: 'deposit', txHash: TX, view }, silent)
    assert.deepEqual(rules, [])
    judged.hear({ kind: 'deposit', txHash: TX, view }, truth)
    assert.deepEqual(rules, [CONTRADICTS])
  })

  it('notices blocks that are called final and are not, or are others', () => {
    for (const view of [
      depositView({ l1: { blockNumber: 11, blockHash: hashOf(111) } }),
      depositView({ l1: { blockHash: hashOf(1) } }),
      depositView({ l2: { blockNumber: 51, blockHash: hashOf(251) } }),
      depositView({ l2: { blockHash: hashOf(1) } }),
    ]) {
      const { rules, deposit } = judge()
      deposit(view)
      assert.deepEqual(rules, [CONTRADICTS])
    }
  })

  it('notices a final deposit that goes back', () => {
    const { rules, deposit } = judge()
    deposit(depositView())
    deposit(depositView({ state: 'relaying', l2: { finalized: false } }))
    assert.deepEqual(rules, [STAYS])
  })

  it('notices a paid withdrawal that goes back after its block is final, and lets a reorg take a new one back', () => {
    const { rules, withdrawal } = judge()
    withdrawal('finalized')
    withdrawal('ready-to-finalize')
    assert.deepEqual(rules, [])
    withdrawal('finalized')
    withdrawal('ready-to-finalize', { ...truth, l1FinalizedNumber: 20 })
    assert.deepEqual(rules, [STAYS])
  })

  it('notices a finished transfer that is not reported as finished', () => {
    const { rules, it: judged, deposit } = judge()
    deposit(depositView({ state: 'pending', l1: { finalized: false }, l2: { finalized: false } }))
    judged.conclude(new Map([[TX, ['complete', 'failed']]]))
    judged.conclude(new Map([[hashOf(8), ['finalized']]]))
    assert.equal(rules.length, 2)
  })
})
