/** Facts of roles on the same layer, which the composition root passes in. */
export interface RoleFacts {
  /** JSON-RPC namespaces of the execution client. */
  readonly rpcNamespaces: readonly string[]
  /** Exit codes after which the supervisor does not restart the validator, with reasons. */
  readonly validatorFinalExits: Readonly<Record<number, string>>
  /** Returns the file with a candidate's secret in the conductor's folder of secrets. */
  conductorSecret(folder: string, candidate: string): string
}
