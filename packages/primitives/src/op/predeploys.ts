/** specs: protocol/predeploys.md, protocol/deposits.md */
import { toAddress } from '../hex.ts'

const predeploy = (low: string) => toAddress(`0x42000000000000000000000000000000000000${low}`)

export const L2_CROSS_DOMAIN_MESSENGER = predeploy('07')
export const GAS_PRICE_ORACLE = predeploy('0f')
export const L2_STANDARD_BRIDGE = predeploy('10')
export const SEQUENCER_FEE_VAULT = predeploy('11')
export const L1_BLOCK = predeploy('15')
export const L2_TO_L1_MESSAGE_PASSER = predeploy('16')
export const PROXY_ADMIN = predeploy('18')
export const BASE_FEE_VAULT = predeploy('19')
export const L1_FEE_VAULT = predeploy('1a')
export const OPERATOR_FEE_VAULT = predeploy('1b')
/** Sender of L1 info deposits and some fork upgrades. */
export const L1_INFO_DEPOSITOR = toAddress('0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001')
/** EIP-4788 contract. */
export const BEACON_ROOTS = toAddress('0x000f3df6d732807ef1319fb7b8bb8522d0beac02')
/** EIP-2935 contract. */
export const HISTORY_STORAGE = toAddress('0x0000f90827f1c53a10cb7a02335b175320002935')
export const SYSTEM_CALLER = toAddress('0xfffffffffffffffffffffffffffffffffffffffe')
