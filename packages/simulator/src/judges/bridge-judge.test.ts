import assert from 'node:assert/strict'
import { bigintToBytes, type Hash, toHash } from '@keelson/primitives'
import { type BridgeRecord, judgeBridgeRecord, judgeJourneys } from './bridge-judge.ts'

const hash = (number: number): Hash => toHash(bigintToBytes(BigInt(number), 32))
const [FIRST, SECOND] = [hash(1), hash(2)]

const GOOD: BridgeRecord = {
  due: [FIRST, SECOND],
  credited: [FIRST, SECOND],
  withdrawn: new Map([
    [FIRST, 30n],
    [SECOND, 4n],
  ]),
  finalized: [{ withdrawalHash: FIRST, succeeded: true }],
  depositedWei: 100n,
  portalWei: 70n,
}

function judged(changes: Partial<BridgeRecord>): readonly string[] {
  const rules: string[] = []
  judgeBridgeRecord({ ...GOOD, ...changes }, (rule) => rules.push(rule))
  return rules
}

describe('the judge of the bridge', () => {
  it('accepts deposits credited once, and withdrawals paid once or not yet', () => {
    assert.deepEqual(judged({}), [])
    assert.deepEqual(judged({ finalized: [], portalWei: 100n }), [])
    assert.deepEqual(judged({ finalized: [{ withdrawalHash: FIRST, succeeded: false }], portalWei: 100n }), [])
  })

  it('reports a deposit that is lost, credited twice or never made', () => {
    const rule = ['every deposit is credited once']
    assert.deepEqual(judged({ credited: [FIRST] }), rule)
    assert.deepEqual(judged({ credited: [FIRST, SECOND, SECOND] }), rule)
    assert.deepEqual(judged({ credited: [FIRST, SECOND, hash(3)] }), rule)
  })

  it('reports a withdrawal that is paid twice or was never made', () => {
    const payment = { withdrawalHash: FIRST, succeeded: true }
    assert.deepEqual(judged({ finalized: [payment, payment], portalWei: 40n }), ['nobody is paid twice'])
    assert.deepEqual(judged({ finalized: [{ withdrawalHash: hash(3), succeeded: true }], portalWei: 100n }), ['what is paid was withdrawn'])
  })

  it('reports a portal that holds another amount', () => {
    assert.deepEqual(judged({ portalWei: 69n }), ['the portal holds what was deposited and not paid'])
  })

  it('expects a transfer to come to an end in an hour without faults', () => {
    const judged = (minutes: number, completed: number, lastFaultMs: number): number => {
      let reports = 0
      const world = { simulation: { startMs: 0, nowMs: minutes * 60_000 }, lastFaultMs, bridgeUsers: { completed } }
      judgeJourneys(world, () => reports++)
      return reports
    }
    assert.deepEqual([judged(61, 0, 0), judged(59, 0, 0), judged(61, 1, 0), judged(61, 0, 1)], [1, 0, 0, 0])
  })
})
