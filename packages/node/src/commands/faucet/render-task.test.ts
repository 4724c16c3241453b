import assert from 'node:assert/strict'
import { renderTask } from './render-task.ts'

describe('faucet status', () => {
  it('shows the balance in whole coins beside wei', () => {
    const status = {
      running: true,
      account: '0x01',
      balanceWei: '9990500000000000000000',
      claims: { settled: 1 },
      developers: [],
      spent: 1,
      budget: 20_000,
      inFlight: 0,
      waiting: 0,
      trouble: null,
      verified: 0,
      applications: 0,
    }
    assert.match(renderTask('status', status), /^balance +9990\.5 coins \(9990500000000000000000 wei\)$/m)
    assert.match(renderTask('status', { ...status, balanceWei: null }), /^balance +not known yet$/m)
  })
})
