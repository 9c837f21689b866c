{{- define "sluice.name" -}}
{{- printf "%s-sluice" .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{- define "sluice.labels" -}}
app.kubernetes.io/name: sluice
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "sluice.gatewayLabels" -}}
app.kubernetes.io/name: sluice
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: gateway
{{- end -}}

{{- define "sluice.consoleLabels" -}}
app.kubernetes.io/name: sluice
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: console
{{- end -}}

{{/* What the schema cannot say: values that do not go together. */}}
{{- define "sluice.check" -}}
{{- if not .Values.image.gateway.tag -}}
{{- fail "image.gateway.tag is empty. Push each build under a tag of its own, and name it there." -}}
{{- end -}}
{{- if and .Values.console.enabled (not .Values.image.console.tag) -}}
{{- fail "image.console.tag is empty. Push each build under a tag of its own, and name it there." -}}
{{- end -}}
{{- if .Values.serviceMonitor.enabled -}}
{{- if not .Values.serviceMonitor.tokenSecret.name -}}
{{- fail "serviceMonitor.enabled needs serviceMonitor.tokenSecret.name: without a token the gateway shows its metrics to its own machine alone. Put 16 characters or more into a Secret and name it there." -}}
{{- end -}}
{{- if and .Values.networkPolicy.enabled (not .Values.networkPolicy.metricsFrom) -}}
{{- fail "serviceMonitor.enabled needs networkPolicy.metricsFrom: the NetworkPolicy keeps Prometheus out. Name its namespace or its pods there." -}}
{{- end -}}
{{- end -}}
{{- if and (gt (int .Values.replicaCount) 1) (not .Values.database.urlSecret.name) -}}
{{- fail "replicaCount is above 1, and there is no PostgreSQL: only one gateway can use a database in a file. Put the URL of a PostgreSQL database into a Secret and name it in database.urlSecret.name, or set replicaCount to 1." -}}
{{- end -}}
{{- end -}}
