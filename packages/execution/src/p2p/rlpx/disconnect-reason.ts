/** devp2p rlpx.md#disconnect-0x01 */
export const DISCONNECT_REASONS = {
  requested: 0x00,
  tcpError: 0x01,
  protocolBreach: 0x02,
  uselessPeer: 0x03,
  tooManyPeers: 0x04,
  alreadyConnected: 0x05,
  incompatibleVersion: 0x06,
  nullIdentity: 0x07,
  quitting: 0x08,
  unexpectedIdentity: 0x09,
  self: 0x0a,
  timeout: 0x0b,
  subprotocol: 0x10,
} as const

export type DisconnectReason = keyof typeof DISCONNECT_REASONS

const BY_CODE = new Map(Object.entries(DISCONNECT_REASONS).map(([name, code]) => [code as number, name as DisconnectReason]))

/** An unknown code counts as `requested`. */
export function disconnectReasonOf(code: number): DisconnectReason {
  return BY_CODE.get(code) ?? 'requested'
}
