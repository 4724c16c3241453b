import assert from 'node:assert/strict'
import { CONTRACTS } from '../../assistant/names.test-support.ts'
import { devnetChains } from './devnet-chains.ts'

describe('the chains of a development network', () => {
  it('have the pages of the network as explorer of the rollup, so that a mined trade has a link', () => {
    const at = (chainId: number) => ({ rpcUrl: 'http://127.0.0.1:1', chainId })
    const explorers = (services: object) =>
      devnetChains({ l1: at(900), l2: at(901), contracts: CONTRACTS, ...services }, { symbol: 'KEEL' }).map(
        ({ explorerUrl }) => explorerUrl,
      )
    assert.deepEqual(explorers({ services: { web: 'http://127.0.0.1:8080', faucet: null } }), ['http://127.0.0.1:8080', null])
    assert.deepEqual(explorers({ services: { web: null } }), [null, null])
    assert.deepEqual(explorers({}), [null, null])
  })
})
