#!/bin/sh
# nginx with TLS on 127.0.0.1: nginx.sh FOLDER PORT CERTIFICATES FILES. It ends with the process.
set -eu
folder=$1 port=$2 certificates=$3 files=$4
mkdir -p "$folder/tmp"
cat > "$folder/nginx.conf" <<CONF
daemon off;
master_process off;
pid $folder/nginx.pid;
error_log $folder/error.log;
events { worker_connections 64; }
http {
  client_body_temp_path $folder/tmp/b; proxy_temp_path $folder/tmp/p; fastcgi_temp_path $folder/tmp/f;
  uwsgi_temp_path $folder/tmp/u; scgi_temp_path $folder/tmp/s;
  access_log off;
  default_type application/octet-stream;
  server {
    listen 127.0.0.1:$port ssl http2;
    server_name localhost;
    ssl_certificate $certificates/good.pem;
    ssl_certificate_key $certificates/good.key;
    ssl_protocols TLSv1.2 TLSv1.3;
    root $files;
  }
}
CONF
exec /usr/sbin/nginx -e "$folder/error.log" -p "$folder" -c "$folder/nginx.conf"
