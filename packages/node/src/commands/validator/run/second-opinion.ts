import { optionalOption, optionParsers as parse } from '@keelson/runtime'

export const secondOpinionOptions = {
  rollupRpcCheck: optionalOption({
    key: 'rollup.rpc.check',
    parse: parse.httpUrl,
    description:
      'RPC of a second consensus client, of somebody else or on another machine: nothing is signed unless it says the same block is final.',
  }),
} as const

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** If one remote host serves both RPCs, its owner could make a validator sign a slashable attestation. */
export function whyOneHostIsTrusted(l2Rpc: string, rollupRpc: string): string | null {
  const [l2, rollup] = [new URL(l2Rpc).hostname, new URL(rollupRpc).hostname]
  if (l2 !== rollup || LOOPBACK.test(l2)) return null
  return (
    `--l2.rpc and --rollup.rpc are both of ${l2}, which is not this machine: what it says is final is signed and can be slashed. ` +
    'Run both clients yourself, or name a second consensus client elsewhere with --rollup.rpc.check'
  )
}
