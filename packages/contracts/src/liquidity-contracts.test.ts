import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { bytesToHex } from '@keelson/primitives'
import { keccak256 } from 'ethers'
import { ContractError } from './contract-error.ts'
import { decodeUniswapBuild, LIQUIDITY_CONTRACTS, UNISWAP_BUILDS } from './liquidity-contracts.ts'
import { DEPOSIT_ENTRY, OWN_CONTRACTS } from './own-contracts.ts'

const require = createRequire(import.meta.url)
/** Code hash from which pair addresses are computed (Uniswap V2 documentation, "Pair Addresses"). */
const PAIR_CODE_HASH = '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f'

describe('trading contracts of a development L2', () => {
  it('are Uniswap’s as published: the factory makes the pairs that the router looks for', () => {
    const pair = bytesToHex(decodeUniswapBuild(require('@uniswap/v2-core/build/UniswapV2Pair.json')))
    const factory = bytesToHex(decodeUniswapBuild(require(UNISWAP_BUILDS.UniswapV2Factory)))
    const router = bytesToHex(decodeUniswapBuild(require(UNISWAP_BUILDS.UniswapV2Router02)))
    assert.equal(keccak256(pair), PAIR_CODE_HASH)
    assert.ok(factory.includes(pair.slice(2)))
    assert.ok(router.includes(PAIR_CODE_HASH.slice(2)))
  })

  it('are decoded from waffle builds only', () => {
    for (const json of [null, {}, { bytecode: '' }, { bytecode: '0x60' }, { bytecode: '6' }, { bytecode: 7 }, { bytecode: '__Math__60' }]) {
      assert.throws(() => decodeUniswapBuild(json), ContractError, JSON.stringify(json))
    }
  })

  it('have unique addresses', () => {
    const all = [...Object.values(OWN_CONTRACTS), ...Object.values(LIQUIDITY_CONTRACTS), DEPOSIT_ENTRY]
    assert.equal(new Set(all).size, all.length)
    assert.equal(LIQUIDITY_CONTRACTS.UniswapV2Router02, '0x6b65656c736f6e00000000000000000000000011')
  })
})
