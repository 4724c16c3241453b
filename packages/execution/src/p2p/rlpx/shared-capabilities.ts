/** devp2p rlpx.md#message-id-based-multiplexing */
import type { Capability } from './session.ts'

/** The p2p capability has the codes below. */
export const FIRST_CODE = 0x10

export interface OfferedCapability extends Capability {
  /** Number of message codes. */
  readonly length: number
}

export interface SharedCapability extends OfferedCapability {
  readonly firstCode: number
}

/** Returns the highest common version of each name, in alphabetical order, with consecutive ranges of codes. */
export function shareCapabilities(ours: readonly OfferedCapability[], theirs: readonly Capability[]): readonly SharedCapability[] {
  const best = new Map<string, OfferedCapability>()
  for (const offered of ours) {
    const common = theirs.some(({ name, version }) => name === offered.name && version === offered.version)
    if (common && (best.get(offered.name)?.version ?? -1) < offered.version) best.set(offered.name, offered)
  }
  let firstCode = FIRST_CODE
  return [...best.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((capability) => {
      const shared = { ...capability, firstCode }
      firstCode += capability.length
      return shared
    })
}
