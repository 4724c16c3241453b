import assert from 'node:assert/strict'
import { type AuthWorld, createAuthWorld } from '../auth/auth-world.test-support.ts'
import { sale, trade } from './portfolio-world.test-support.ts'

describe('the portfolio in the platform', () => {
  let world: AuthWorld
  before(async () => {
    world = await createAuthWorld()
  })
  after(() => world.close())

  it('is of the user of a real session, outlives that session, and is described', async () => {
    const user = await world.register('ann@example.org')
    const openSession = async () => (await world.ask('POST', '/api/v1/auth/session', { token: user })).body
    const [first, second] = [await openSession(), await openSession()]
    const token = first.token.access_token
    for (const json of [trade(), sale('1', 2_500)])
      assert.equal((await world.ask('POST', '/api/v1/metrics/trades', { token, json })).status, 200)
    assert.equal((await world.ask('DELETE', `/api/v1/auth/session/${first.session_id}`, { token })).status, 200)
    const other = second.token.access_token
    assert.equal((await world.ask('GET', '/api/v1/positions', { token: other })).body.length, 2)
    assert.equal((await world.ask('GET', '/api/v1/metrics/pnl', { token: other })).body.realized_pnl_usd, 500)
    const marked = await world.ask('POST', '/api/v1/positions/mark-to-market', { token: other, json: { agent: 'trader', chain: 'devnet' } })
    assert.equal(marked.status, 503)
    const { body } = await world.ask('GET', '/openapi.json')
    assert.ok(body.components.schemas.Position)
    for (const name of ['volume', 'pnl', 'pnl/unrealized', 'tvl']) assert.ok(body.paths[`/api/v1/metrics/${name}`]?.get, name)
  })
})
