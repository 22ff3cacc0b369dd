# From what people write to functions per core: each pass on a program made of what it works on.
passes_head 'Front half of the pipeline, each pass alone'
passes inline_calls InlineFunctions InlineFunctions
passes unroll UnrollLoops UnrollLoops
passes breaks CtrlFlowTransform CtrlFlowTransform
passes versions ConvertToSSA ConvertToSSA
passes scalars NormalizeStmtStructure Simplify NormalizeStmtStructure
passes nested_calls FlattenCallExpr FlattenCallExpr
passes host_scopes OutlineHierarchyScopes OutlineHierarchyScopes
passes incore_scopes OutlineIncoreScopes OutlineIncoreScopes
passes cluster_scopes OutlineClusterScopes OutlineClusterScopes
