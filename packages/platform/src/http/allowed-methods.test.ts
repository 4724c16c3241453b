import assert from 'node:assert/strict'
import { createAllowedMethods } from './allowed-methods.ts'

describe('allowed methods of a path', () => {
  const allowed = createAllowedMethods([
    { method: 'GET', path: '/things' },
    { method: 'POST', path: '/things' },
    { method: 'PATCH', path: '/things/:id/name' },
    { method: 'DELETE', path: '/things/:id' },
    { method: 'POST', path: '/things/all' },
  ])

  it('are those of its routes, with HEAD for GET, and null for an unknown path', () => {
    assert.deepEqual(allowed('/things'), ['GET', 'HEAD', 'POST'])
    assert.deepEqual(allowed('/things?a=/x'), ['GET', 'HEAD', 'POST'])
    assert.deepEqual(allowed('/things/?a=/x'), ['GET', 'HEAD', 'POST'])
    assert.deepEqual(allowed('/things/7/name'), ['PATCH'])
    assert.deepEqual(allowed('/things/7'), ['DELETE'])
    assert.deepEqual(allowed('/things/7/'), ['DELETE'])
    assert.deepEqual(allowed('/things/all'), ['POST'])
    for (const path of ['/', '/thing', '/things//', '/things/7//', '/things//name', '/things/7/name/x'])
      assert.equal(allowed(path), null, path)
  })
})
