import assert from 'node:assert/strict'
import { join } from 'node:path'
import { readKnownAbis } from './known-abis.ts'

const ARTIFACTS = join(import.meta.dirname, '../../../contracts/artifacts')

describe('the known contract declarations', () => {
  const abis = readKnownAbis(ARTIFACTS)

  it('are found by the selectors and topics that Ethereum uses', () => {
    assert.equal(abis.functions['0xa9059cbb'], 'transfer(address to,uint256 value)')
    assert.equal(abis.errors['0x08c379a0'], 'Error(string message)')
    assert.match(abis.functions['0x3db6be2b'] ?? '', /^setL1BlockValuesJovian\(\)/)
  })

  it('have one topic for the transfers of fungible and other tokens, with different indexed parameters', () => {
    assert.deepEqual(abis.events['0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'], [
      'Transfer(address indexed from,address indexed to,uint256 value)',
      'Transfer(address indexed from,address indexed to,uint256 indexed tokenId)',
    ])
  })

  it('include the contracts of the rollup, with structures', () => {
    const names = Object.values(abis.functions).map((declaration) => declaration.split('(')[0])
    for (const name of ['depositTransaction', 'proveWithdrawalTransaction', 'initiateWithdrawal', 'attest'])
      assert.ok(names.includes(name), name)
    const withdrawal = Object.values(abis.functions).find((declaration) => declaration.startsWith('finalizeWithdrawalTransaction('))
    assert.match(withdrawal ?? '', /^finalizeWithdrawalTransaction\(\(uint256 nonce,address sender,.*\) _tx\)$/)
  })
})
