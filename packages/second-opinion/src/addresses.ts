/** specs: protocol/predeploys.md, EIPs 4788 and 2935 */
import { Address, hexToBytes } from '@ethereumjs/util'

const address = (hex: `0x${string}`) => new Address(hexToBytes(hex))

export const L1_BLOCK = address('0x4200000000000000000000000000000000000015')
export const L2_TO_L1_MESSAGE_PASSER = address('0x4200000000000000000000000000000000000016')
export const BASE_FEE_VAULT = address('0x4200000000000000000000000000000000000019')
export const L1_FEE_VAULT = address('0x420000000000000000000000000000000000001a')
export const OPERATOR_FEE_VAULT = address('0x420000000000000000000000000000000000001b')
export const SYSTEM_CALLER = address('0xfffffffffffffffffffffffffffffffffffffffe')
export const BEACON_ROOTS = address('0x000f3df6d732807ef1319fb7b8bb8522d0beac02')
export const HISTORY_STORAGE = address('0x0000f90827f1c53a10cb7a02335b175320002935')
