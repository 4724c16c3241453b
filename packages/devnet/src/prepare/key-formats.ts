import type { Secret } from '@keelson/runtime'
import type { ValidatorDutyFolder } from './validator-duty-folder.ts'

/** Reads and writes keys in the formats of the roles that use them; the composition root passes it in. */
export interface KeyFormats {
  /** Returns the node key in the file, which is created if missing. */
  loadNodeKey(path: string): Promise<Uint8Array>
  peerIdOfNodeKey(key: Uint8Array): Promise<string>
  /** Returns the key as an encrypted JSON document. The password of a devnet is public, so a fast derivation suffices. */
  encryptKey(key: Secret<Uint8Array>, password: string, description: string): Promise<string>
  /** Atomically writes a file with mode 600. */
  writeSecretFile(path: string, text: string, options?: { readonly replace: boolean }): Promise<void>
  /** Creates a key and its slashing protection unless the folder has a key. */
  makeValidatorKey(folder: ValidatorDutyFolder): Promise<void>
}
