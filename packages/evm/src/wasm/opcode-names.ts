/** Names of opcodes in steps and errors, as geth 1.17 prints them (core/vm/opcodes.go), whether a fork has them or not. */
import { ETH_FORKS, opcodesOf } from '@keelson/chainspec'

/** EOF (EIP-7692) and later forks, and the name that 0x44 had before EIP-4399, which geth and revm keep. */
const OTHERS: Readonly<Record<number, string>> = {
  68: 'DIFFICULTY',
  75: 'SLOTNUM',
  208: 'DATALOAD',
  209: 'DATALOADN',
  210: 'DATASIZE',
  211: 'DATACOPY',
  224: 'RJUMP',
  225: 'RJUMPI',
  226: 'RJUMPV',
  227: 'CALLF',
  228: 'RETF',
  229: 'JUMPF',
  230: 'DUPN',
  231: 'SWAPN',
  232: 'EXCHANGE',
  236: 'EOFCREATE',
  238: 'RETURNCONTRACT',
  247: 'RETURNDATALOAD',
  248: 'EXTCALL',
  249: 'EXTDELEGATECALL',
  251: 'EXTSTATICCALL',
  254: 'INVALID',
}

const NEWEST = ETH_FORKS[ETH_FORKS.length - 1] as (typeof ETH_FORKS)[number]

export function opcodeName(opcode: number): string {
  return OTHERS[opcode] ?? opcodesOf(NEWEST).get(opcode)?.name ?? `opcode 0x${opcode.toString(16)} not defined`
}
