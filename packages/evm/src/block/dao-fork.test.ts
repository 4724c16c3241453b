import assert from 'node:assert/strict'
import { l1ForkRules } from '@keelson/chainspec'
import { hexToBytes, utf8ToBytes } from '@keelson/primitives'
import { openTestBlock } from '../../../../test/support/evm-world.ts'
import { DAO_ACCOUNTS } from './dao-accounts.generated.ts'
import { moveDaoBalances, validateDaoExtraData } from './dao-fork.ts'

const REFUND_CONTRACT = hexToBytes('0xbf4ed7b27f1d666546e30d74d50d173d20bca754')
const THE_DAO = '0xbb9bc244d798123fde783fcc1c72d3bb8c189413'

describe('DAO fork', () => {
  it('moves every balance of the listed accounts, and creates no wei', () => {
    const addresses = DAO_ACCOUNTS.map(hexToBytes)
    assert.equal(new Set(DAO_ACCOUNTS).size, 116)
    assert.ok(DAO_ACCOUNTS.includes(THE_DAO))
    const { block } = openTestBlock(
      l1ForkRules('homestead'),
      addresses.map((address) => ({ address, balanceWei: 3n })),
    )
    moveDaoBalances(block.session)
    assert.equal(block.session.balance(REFUND_CONTRACT), 3n * 116n)
    assert.ok(addresses.every((address) => block.session.balance(address) === 0n))
  })

  it('requires its extraData in ten blocks', () => {
    const header = (number: number, text: string) => ({ number, extraData: utf8ToBytes(text) })
    const problem = (number: number, text: string) => validateDaoExtraData(header(number, text), 5)?.reason ?? null
    assert.deepEqual(
      [4, 5, 14, 15].map((number) => problem(number, 'other')),
      [null, 'extra-data-dao', 'extra-data-dao', null],
    )
    assert.deepEqual(
      [4, 5, 14, 15].map((number) => problem(number, 'dao-hard-fork')),
      [null, null, null, null],
    )
  })
})
