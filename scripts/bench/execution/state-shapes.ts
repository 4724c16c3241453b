import { bytesToHex } from '@keelson/primitives'
import { type AttackShape, filled, loop } from './attack-program.ts'
import { FIRST_LARGE_CODE } from './synthetic-view.ts'

const LARGE = 32_768
/** GAS differs each time. */
const LARGE_CODE = `${bytesToHex(FIRST_LARGE_CODE)} GAS ADD`

export function stateShapes(): readonly AttackShape[] {
  const large = new Uint8Array(20).fill(0xbb)
  return [
    { name: 'SLOAD, cold', code: loop('GAS SLOAD POP') },
    { name: 'SLOAD, warm', code: loop('0 SLOAD POP') },
    { name: 'SSTORE, new slots', code: loop('1 GAS SSTORE') },
    { name: 'SSTORE, the same slot', code: loop('GAS 0 SSTORE') },
    { name: 'TSTORE', code: loop('1 GAS TSTORE') },
    { name: 'TLOAD', code: loop('GAS TLOAD POP') },
    { name: 'BALANCE, cold', code: loop('GAS BALANCE POP') },
    { name: 'BALANCE, warm', code: loop('0 BALANCE POP') },
    { name: 'EXTCODESIZE, cold', code: loop('GAS EXTCODESIZE POP') },
    { name: 'EXTCODEHASH, cold', code: loop('GAS EXTCODEHASH POP') },
    { name: 'EXTCODESIZE of different 24 KB', code: loop(`${LARGE_CODE} EXTCODESIZE POP`) },
    { name: 'EXTCODECOPY of different 24 KB, a word', code: loop(`32 0 0 ${LARGE_CODE} EXTCODECOPY`) },
    {
      name: 'EXTCODECOPY of 24 KB',
      code: loop(`${LARGE} 0 0 ${bytesToHex(large)} EXTCODECOPY`),
      accounts: [{ address: large, code: filled('JUMPDEST') }],
    },
    { name: 'BLOCKHASH', code: loop('900 BLOCKHASH POP') },
    { name: 'LOG0 of 1 KiB', code: loop('1024 0 LOG0') },
    { name: 'LOG0 of 1 MiB', code: loop(`${2 ** 20} 0 LOG0`) },
    { name: 'LOG4', code: loop('0 0 0 0 0 0 LOG4') },
  ]
}
