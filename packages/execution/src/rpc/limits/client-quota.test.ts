import assert from 'node:assert/strict'
import { createClientQuota } from './client-quota.ts'

describe('quotas of clients', () => {
  it('limit one client and all clients together, and are restored on release', () => {
    const quota = createClientQuota({ perClient: 3, total: 5 })
    assert.equal(quota.take('a', 3), 'taken')
    assert.equal(quota.take('a', 1), 'client')
    assert.equal(quota.take('b', 3), 'total')
    assert.equal(quota.take('b', 2), 'taken')
    assert.equal(quota.take(null, 1), 'total', 'a holder without a share counts in the total')
    quota.release('a', 2)
    assert.equal(quota.take(null, 2), 'taken')
    assert.equal(quota.take('a', 2), 'total')
    quota.release(null, 2)
    assert.equal(quota.take('a', 2), 'taken')
  })
})
