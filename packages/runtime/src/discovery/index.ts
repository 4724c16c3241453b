/** Node discovery (discv5) for any peer-to-peer network. Loads the network libraries: import it on demand. */
export * from './bootnode.ts'
export * from './discovery-host.ts'
export * from './judge-record.ts'
export * from './local-record.ts'
export * from './node-records.ts'
export type { MappedAddress } from './own-record.ts'
export { openUdpSocket } from './udp-transport.ts'
