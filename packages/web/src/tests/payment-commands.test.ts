import assert from 'node:assert/strict'
import { paymentCommands } from '../client/pages/address/payment-commands.ts'

const ALICE = `0x${'a1'.repeat(20)}`
const ZERO = `0x${'00'.repeat(20)}`
const CONFIG = {
  commands: { deposit: 'npx keelson bridge deposit', withdraw: 'npx keelson bridge withdraw' },
  l2: { publicRpcUrl: null },
} as unknown as Parameters<typeof paymentCommands>[0]

describe('the commands on the page of an address', () => {
  it('pay to an account without code', () => {
    assert.deepEqual(paymentCommands(CONFIG, ALICE, '0x'), {
      deposit: `npx keelson bridge deposit --amount 0.1 --to ${ALICE}`,
      withdrawal: `npx keelson bridge withdraw --amount 0.1 --to ${ALICE}`,
      token: `cast send TOKEN "transfer(address,uint256)" ${ALICE} AMOUNT --rpc-url RPC_URL --private-key KEY`,
    })
  })

  it('are missing where what they pay would be lost or wait in the messenger', () => {
    assert.equal(paymentCommands(CONFIG, ALICE, '0x6000'), null, 'a contract')
    assert.equal(paymentCommands(CONFIG, ALICE, `0xef0100${'11'.repeat(20)}`), null, 'code of another contract')
    assert.equal(paymentCommands(CONFIG, ZERO, '0x'), null, 'the zero address')
  })
})
