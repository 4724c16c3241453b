import assert from 'node:assert/strict'
import { peerCountCheck } from './peer-count-check.ts'

describe('the number of peers', () => {
  const result = (minPeers: number, connected: number, known: number) => {
    const { check } = peerCountCheck(minPeers, () => ({ connected, known }))
    return check() as { readonly ok: boolean; readonly reason?: string; readonly remedy?: string }
  }

  it('is enough from the configured one on', () => {
    assert.deepEqual([result(0, 0, 0).ok, result(2, 1, 9).ok, result(2, 2, 0).ok], [true, false, true])
  })

  it('says why it is too low and what to do', () => {
    const alone = result(1, 0, 0)
    assert.match(`${alone.reason} ${alone.remedy}`, /0 peers, at least 1 .*no other node.*--p2p\.bootnodes/)
    const blocked = result(1, 0, 12)
    assert.match(`${blocked.reason} ${blocked.remedy}`, /none of 12 known nodes answers.*--p2p\.port/)
  })
})
