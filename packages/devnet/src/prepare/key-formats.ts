import type { Secret } from '@keelson/runtime'
import type { ValidatorDutyFolder } from './validator-duty-folder.ts'

/** Key files in the formats of the roles; the composition root provides it. */
export interface KeyFormats {
  /** Creates a missing file. */
  loadNodeKey(path: string): Promise<Uint8Array>
  peerIdOfNodeKey(key: Uint8Array): Promise<string>
  /** Returns an encrypted JSON document. Uses a fast key derivation, because the password is public. */
  encryptKey(key: Secret<Uint8Array>, password: string, description: string): Promise<string>
  writeSecretFile(path: string, text: string, options?: { readonly replace: boolean }): Promise<void>
  /** Creates a key and its slashing protection unless the folder has a key. */
  makeValidatorKey(folder: ValidatorDutyFolder): Promise<void>
}
