/** The forms are those of Foundry's book: https://getfoundry.sh/cast/reference/cast-call and forge/reference/verify-contract. */
import assert from 'node:assert/strict'
import type { AbiEntry } from '@keelson/contracts'
import { castCommand, fallbackCommand, unknownCallCommand, verifyCommand } from '../client/pages/contract/contract-commands.ts'

const ADDRESS = `0x${'ab'.repeat(20)}`
const PLACE = { address: ADDRESS, chainId: 901, rpcUrl: 'http://127.0.0.1:8545' }
const parameter = (name: string, type: string) => ({ name, type })

describe('the command for a contract', () => {
  const rows: readonly (readonly [entry: AbiEntry, isRead: boolean, command: string])[] = [
    [
      {
        type: 'function',
        name: 'balanceOf',
        inputs: [parameter('_owner', 'address')],
        outputs: [parameter('', 'uint256')],
        stateMutability: 'view',
      },
      true,
      `cast call ${ADDRESS} "balanceOf(address)(uint256)" OWNER --rpc-url http://127.0.0.1:8545`,
    ],
    [
      {
        type: 'function',
        name: 'mint',
        inputs: [parameter('tokenId', 'uint256'), parameter('', 'bytes')],
        outputs: [],
        stateMutability: 'payable',
      },
      false,
      `cast send ${ADDRESS} "mint(uint256,bytes)" TOKEN_ID ARGUMENT_2 --value VALUE --rpc-url http://127.0.0.1:8545 --private-key KEY`,
    ],
    [
      {
        ...{ type: 'function', name: 'put', outputs: [], stateMutability: 'nonpayable' },
        inputs: [{ name: '$(id)', type: 'tuple[]', components: [parameter('a', 'address'), parameter('b', 'uint8')] }],
      },
      false,
      `cast send ${ADDRESS} "put((address,uint8)[])" ARGUMENT_1 --rpc-url http://127.0.0.1:8545 --private-key KEY`,
    ],
  ]
  for (const [entry, isRead, command] of rows)
    it(`${isRead ? 'reads' : 'writes'} ${entry.name}`, () => assert.equal(castCommand(PLACE, entry, isRead), command))

  it('is there without a source, without functions and without a public node', () => {
    assert.equal(
      verifyCommand(PLACE, 'http://127.0.0.1:8080'),
      `forge verify-contract --verifier blockscout --verifier-url http://127.0.0.1:8080/api/ --chain 901 ${ADDRESS} src/FILE.sol:CONTRACT`,
    )
    assert.equal(
      unknownCallCommand({ ...PLACE, rpcUrl: null }),
      `cast call ${ADDRESS} "FUNCTION(TYPES)(RESULTS)" ARGUMENTS --rpc-url RPC_URL`,
    )
    assert.equal(fallbackCommand(PLACE), `cast send ${ADDRESS} 0x --rpc-url http://127.0.0.1:8545 --private-key KEY`)
  })
})
