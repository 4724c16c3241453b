import { NodeError } from '@keelson/primitives'

export type DevnetErrorCode = 'node/usage' | 'node/devnet' | 'node/disk' | 'node/snapshot'

export class DevnetError extends NodeError<DevnetErrorCode> {}
