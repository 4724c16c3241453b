import assert from 'node:assert/strict'
import {
  EMPTY_OMMERS_HASH,
  EMPTY_TRIE_ROOT,
  encodeHeader,
  encodeWithdrawal,
  type Header,
  keccak256Hash,
  orderedListRoot,
  rlpEncodeList,
  ZERO_ADDRESS,
  ZERO_HASH,
} from '@keelson/primitives'
import { transfer } from '../../../../test/support/evm-world.ts'
import { type BlockBody, validateBody } from './validate-body.ts'

const EMPTY: Header = {
  parentHash: ZERO_HASH,
  ommersHash: EMPTY_OMMERS_HASH,
  feeRecipient: ZERO_ADDRESS,
  stateRoot: ZERO_HASH,
  transactionsRoot: EMPTY_TRIE_ROOT,
  receiptsRoot: EMPTY_TRIE_ROOT,
  logsBloom: new Uint8Array(256),
  difficulty: 0n,
  number: 7,
  gasLimit: 30_000_000n,
  gasUsed: 0n,
  timestampSec: 1000,
  extraData: new Uint8Array(0),
  mixHash: ZERO_HASH,
  nonce: new Uint8Array(8),
  baseFeeWei: 1n,
  withdrawalsRoot: null,
  blobGasUsed: null,
  excessBlobGas: null,
  parentBeaconBlockRoot: null,
  requestsHash: null,
  blockAccessListHash: null,
  slotNumber: null,
}
const NOTHING = { transactions: [], ommers: [], withdrawals: null }

function validate(header: Header, body: BlockBody) {
  return validateBody(header, body, { withdrawals: 'list' })
}

describe('block body', () => {
  it('matches the commitments of its header', () => {
    assert.equal(validate(EMPTY, NOTHING), null)
    const tx = transfer()
    const withdrawal = { index: 1n, validatorIndex: 2n, address: ZERO_ADDRESS, amountGwei: 3n }
    const header = {
      ...EMPTY,
      transactionsRoot: orderedListRoot([tx.raw]),
      ommersHash: keccak256Hash(rlpEncodeList([encodeHeader(EMPTY)])),
      withdrawalsRoot: orderedListRoot([encodeWithdrawal(withdrawal)]),
    }
    assert.equal(validate(header, { transactions: [tx], ommers: [EMPTY], withdrawals: [withdrawal] }), null)
  })

  it('is rejected when a list differs', () => {
    assert.equal(validate(EMPTY, { ...NOTHING, transactions: [transfer()] })?.reason, 'transactions-root')
    assert.equal(validate(EMPTY, { ...NOTHING, ommers: [EMPTY] })?.reason, 'ommers')
    assert.equal(validate(EMPTY, { ...NOTHING, withdrawals: [] })?.reason, 'withdrawals-root')
    assert.equal(validate({ ...EMPTY, withdrawalsRoot: EMPTY_TRIE_ROOT }, NOTHING)?.reason, 'withdrawals-root')
  })

  it('is not compared with a withdrawals root that is a storage root', () => {
    const header = { ...EMPTY, withdrawalsRoot: ZERO_HASH }
    const body = { ...NOTHING, withdrawals: [] }
    assert.equal(validate(header, body)?.reason, 'withdrawals-root')
    assert.equal(validateBody(header, body, { withdrawals: 'storage-root' }), null)
  })
})
