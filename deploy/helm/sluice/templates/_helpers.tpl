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

{{/* Only one gateway can use a database in a file. */}}
{{- define "sluice.check" -}}
{{- if and (gt (int .Values.replicaCount) 1) (not .Values.database.urlSecret.name) -}}
{{- fail "replicaCount is above 1, and there is no PostgreSQL: only one gateway can use a database in a file. Put the URL of a PostgreSQL database into a Secret and name it in database.urlSecret.name, or set replicaCount to 1." -}}
{{- end -}}
{{- end -}}
