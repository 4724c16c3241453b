import assert from 'node:assert/strict'
import type { ContractTable } from '../../support/platform/contract-case.ts'
import type { ContractWorld } from '../../support/platform/contract-world.ts'

const BASE = '/api/v1/multi-agent/exchange'
const SUBSCRIPTION = { symbol: 'KEELTESTUSD', market: 'spot', streams: ['trade', 'kline'], interval: '1m' }

async function subscribed(world: ContractWorld) {
  const { session } = await world.newUser()
  const { body } = await world.ask(`POST ${BASE}/subscribe`, { token: session, json: SUBSCRIPTION })
  return { session, id: body.subscription_id as string }
}

export const EXCHANGE: ContractTable = {
  [`GET ${BASE}/tools`]: {},
  [`POST ${BASE}/subscribe`]: {
    valid: async (world) => ({ token: (await world.newUser()).session, json: SUBSCRIPTION }),
    cases: {
      '400 an interval that pools do not have': (_world, ask) => ask({ json: { ...SUBSCRIPTION, interval: '1M' } }),
      '404 a symbol that nobody trades': (_world, ask) => ask({ json: { ...SUBSCRIPTION, symbol: 'NOSUCHPAIR' } }),
      async '429 subscriptions beyond the most'(world, ask) {
        const { session } = await world.newUser()
        for (let i = 0; i < 10; i++) assert.equal((await ask({ token: session, json: SUBSCRIPTION })).status, 200)
        return ask({ token: session, json: SUBSCRIPTION })
      },
    },
  },
  [`POST ${BASE}/unsubscribe`]: {
    valid: async (world) => {
      const { session, id } = await subscribed(world)
      return { token: session, json: { subscription_id: id } }
    },
    cases: { '404 no such subscription': (_world, ask) => ask({ json: { subscription_id: 'none' } }) },
  },
  [`GET ${BASE}/stream`]: {
    cases: {
      async 200(world, ask) {
        const { session } = await subscribed(world)
        const answer = await ask({ token: session, headers: { 'last-event-id': 'another-1' }, stream: '\n\n' })
        assert.match(answer.text, /^(id|event|data|:)/m)
        return answer
      },
      '404 a session without subscriptions': async (world, ask) => ask({ token: (await world.newUser()).session }),
    },
  },
}
