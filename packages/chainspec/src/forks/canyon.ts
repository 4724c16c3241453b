/** Shanghai, a slower base fee, hashed deposit nonces, the channel reading fix. specs: protocol/canyon/overview.md */
import { hexToBytes, toAddress } from '@keelson/primitives'
import type { ForkDefinition } from '../rules.ts'
import { CREATE2_DEPLOYER_CODE } from './create2-deployer.generated.ts'

export const canyon: ForkDefinition = {
  name: 'canyon',
  inclusion: { readsFirstReadyChannel: true },
  block: (chain) => ({
    ethFork: 'shanghai',
    withdrawals: 'empty',
    depositReceiptVersion: true,
    baseFeeConstants: chain.baseFeeCanyon,
  }),
  irregularCode: [{ address: toAddress('0x13b0d85ccb8bf860b6b79af3029fca081ae9bef2'), code: hexToBytes(CREATE2_DEPLOYER_CODE) }],
}
