import assert from 'node:assert/strict'
import { join } from 'node:path'
import { encodeErrorResult, type Hex, parseAbi } from 'viem'
import { readRevert, revertText } from '../client/data/abi/revert.ts'
import { readKnownAbis } from '../server/known-abis.ts'
import { createAbiDocument } from '../shared/abi-document.ts'

const ALICE = `0x${'a1'.repeat(20)}` as const
const known = readKnownAbis(join(import.meta.dirname, '../../../contracts/artifacts'))
const verified = createAbiDocument([
  ['errors', 'InsufficientFunds(address account,uint256 available,uint256 required)'],
  ['errors', 'Closed()'],
  ['errors', 'Unnamed(uint256,bytes32)'],
])

const thrown = (declaration: string, errorName: string, args: readonly unknown[] = []) =>
  encodeErrorResult({ abi: parseAbi([`error ${declaration}`] as readonly string[]), errorName, args: args as unknown[] })
const textOf = (data: Hex, abis = [verified, known]) => {
  const revert = readRevert(data, abis)
  return revert === null ? null : revertText(revert)
}

describe('the reason of a revert', () => {
  /** Texts of Panic: https://docs.soliditylang.org/en/latest/control-structures.html#panic-via-assert-and-error-via-require */
  const rows: readonly (readonly [what: string, data: Hex, text: string | null])[] = [
    [
      'an error of the verified contract, with its arguments',
      thrown('InsufficientFunds(address account, uint256 available, uint256 required)', 'InsufficientFunds', [ALICE, 5n, 10n]),
      `InsufficientFunds(account: ${ALICE}, available: 5, required: 10)`,
    ],
    ['an error without arguments', thrown('Closed()', 'Closed'), 'Closed()'],
    [
      'an error whose arguments have no names',
      thrown('Unnamed(uint256, bytes32)', 'Unnamed', [7n, `0x${'11'.repeat(32)}`]),
      `Unnamed(7, 0x${'11'.repeat(32)})`,
    ],
    [
      'an error that only the known declarations have',
      thrown('ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)', 'ERC20InsufficientBalance', [ALICE, 1n, 2n]),
      `ERC20InsufficientBalance(sender: ${ALICE}, balance: 1, needed: 2)`,
    ],
    ['a message', thrown('Error(string message)', 'Error', ['no <b>funds</b>']), 'no <b>funds</b>'],
    ['an overflow', thrown('Panic(uint256 code)', 'Panic', [0x11n]), 'panic 0x11: an arithmetic operation overflowed'],
    ['an index', thrown('Panic(uint256 code)', 'Panic', [0x32n]), 'panic 0x32: an index outside the array'],
    ['a panic of no compiler', thrown('Panic(uint256 code)', 'Panic', [0x99n]), 'panic 0x99: a code that Solidity does not define'],
    ['an error that nobody declares', thrown('Foreign(uint256 x)', 'Foreign', [1n]), null],
    ['no data', '0x', null],
    [
      'data that is cut',
      thrown('InsufficientFunds(address account, uint256 available, uint256 required)', 'InsufficientFunds', [ALICE, 5n, 10n]).slice(
        0,
        80,
      ) as Hex,
      null,
    ],
  ]
  for (const [what, data, text] of rows) it(`of ${what} is ${text ?? 'not known'}`, () => assert.equal(textOf(data), text))

  it('comes from the declarations of the contract itself before those of others', () => {
    const own = createAbiDocument([['errors', 'Closed()']])
    const other = createAbiDocument([])
    assert.equal(textOf(thrown('Closed()', 'Closed'), [other, own]), 'Closed()')
    assert.equal(readRevert(thrown('Closed()', 'Closed'), [null, other]), null)
  })
})
